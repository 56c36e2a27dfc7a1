import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/account.ts";
import { seed } from "../../server/domain/seed.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { encodeKey } from "../../server/storage/keys.ts";
import { snapshot, type Entry } from "../../server/storage/snapshot.ts";
import { newStore } from "../../server/storage/store.ts";
import { exportLines } from "../../server/transfer/export.ts";
import { importFile } from "../../server/transfer/import.ts";
import { moveStore, totalsOf } from "../../server/transfer/move.ts";
import type { Progress, Step } from "../../server/transfer/progress.ts";
import { NOW, countedChance } from "../support/app.ts";
import { DRIVERS, type DriverSource, type EmptyDriver } from "../support/drivers.ts";

const silent = () => {};
const NOTHING = { checks: [], puts: [], removes: [], sums: [] };

let folder: string;
let opened: EmptyDriver[];
const sources: Record<string, DriverSource> = {};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  opened = [];
});
afterEach(async () => {
  for (const { driver, remove } of opened) {
    await newStore(driver).close();
    await remove();
  }
  rmSync(folder, { recursive: true });
});

afterAll(() => Promise.all(Object.values(sources).map((source) => source.end())));

async function newDriver(kind: string): Promise<AtomicDriver> {
  const source = (sources[kind] ??= DRIVERS[kind]!());
  const empty = await source.open();
  opened.push(empty);
  return empty.driver;
}

/** A store with a program in it; 60 leads make more entries than one chunk holds. */
async function filled(kind = "memory"): Promise<AtomicDriver> {
  const driver = await newDriver(kind);
  const context = { store: newStore(driver), now: new Date(NOW), chance: countedChance() };
  const { account } = await createAccount(context, {
    name: "Zoë \"'\\ 漢\u2028",
    landingUrl: "https://a.example/",
  });
  await seed(context, account, { promoters: 20, leads: 60, payouts: 20 });
  return driver;
}

async function entriesOf(driver: AtomicDriver): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const entries of snapshot(driver)) all.push(...entries);
  return all;
}

async function exported(driver: AtomicDriver, onProgress: Progress = silent): Promise<string[]> {
  let text = "";
  for await (const lines of exportLines(driver, { now: new Date(NOW), onProgress, onEnd: silent }))
    text += lines;
  return text.split("\n").slice(0, -1);
}

function write(lines: string[]): string {
  const file = join(folder, "export.ndjson");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

describe.each(Object.keys(DRIVERS))("a store in %s", (kind) => {
  it("comes back from its export to the letter", async () => {
    const source = await filled();
    const target = await newDriver(kind);
    const file = write(await exported(source));
    const totals = await importFile(target, file, silent);
    expect(totals.records).toEqual({
      account: 1,
      "api-key": 1,
      campaign: 1,
      commission: 20,
      lead: 60,
      "past-clicks": expect.any(Number) as number,
      payout: 20,
      "payout-method": expect.any(Number) as number,
      promoter: 20,
      "promoter-campaign": 20,
      "ref-token": 20,
    });
    expect(await entriesOf(target)).toEqual(await entriesOf(source));
    expect(await newStore(target).nextId("lead")).toBeGreaterThan(60);
  });

  it("is moved to the letter", async () => {
    const source = await filled(kind);
    const target = await newDriver("memory");
    const totals = await moveStore(source, target, silent);
    expect(await entriesOf(target)).toEqual(await entriesOf(source));
    expect(totals).toEqual(await totalsOf(source));
    await expect(moveStore(source, target, silent)).rejects.toThrow("The store to be filled is not empty");
  });

  it("stands still while it is exported", async () => {
    const source = await filled(kind);
    const before = await entriesOf(source);
    const seen: Entry[] = [];
    const key = before.at(-1)![0];
    for await (const entries of snapshot(source)) {
      if (seen.length === 0)
        await source.commit({ ...NOTHING, removes: [key], puts: [[before[0]![0], '{"changed":true}']] });
      seen.push(...entries);
    }
    expect(seen).toEqual(before);
    expect(await entriesOf(source)).toHaveLength(before.length - 1);
  });
});

it("says that a move is none when the source was written to meanwhile", async () => {
  const source = await filled();
  const busy: AtomicDriver = {
    ...source,
    async *snapshot() {
      yield* source.snapshot!();
      await source.commit({ ...NOTHING, puts: [["z", "{}"]] });
    },
  };
  await expect(moveStore(busy, await newDriver("memory"), silent)).rejects.toThrow(
    /^The copy is not the same/,
  );
});

const CHANGED = "The file is not as it was exported: its checksum does not match";
it.each<[string, (lines: string[]) => string[], string]>([
  ["is empty", () => [], "The file is cut off: its last line is missing"],
  ["is cut off", (lines) => lines.slice(0, 30), "The file is cut off: its last line is missing"],
  ["lacks a line", (lines) => lines.toSpliced(7, 1), CHANGED],
  ["has lines that changed places", (lines) => lines.with(7, lines[8]!).with(8, lines[7]!), CHANGED],
  ["has a changed line", (lines) => lines.map((line) => line.replaceAll("Zoë", "Zoe")), CHANGED],
  ["has a line that is no JSON", (lines) => lines.with(7, '{"key":"a"'), "Line 8 is not a line of an export"],
  [
    "has a line that is no entry",
    (lines) => lines.with(7, '{"key":"a"}'),
    "Line 8 is not a line of an export",
  ],
  ["has a line after the last", (lines) => [...lines, lines[1]!], /^Line \d+ follows the last one$/ as never],
  ["is another program's", (lines) => lines.with(0, "{}"), "The file is no export of Tidemark"],
  [
    "is of a later release",
    (lines) => lines.with(0, lines[0]!.replace('"version":1', '"version":2')),
    "The export is of version 2; this release reads 1",
  ],
  [
    "is of a release that lays stores out otherwise",
    (lines) =>
      lines.toSpliced(1, 0, `{"key":${JSON.stringify(encodeKey([0, "layout"]))},"value":{"version":1}}`),
    "The store was exported by another release of Tidemark, which laid it out otherwise: import it with that one",
  ],
])("writes nothing from a file that %s", async (_, change, message) => {
  const file = write(change(await exported(await filled())));
  const target = await newDriver("memory");
  await expect(importFile(target, file, silent)).rejects.toThrow(message);
  expect(await entriesOf(target)).toEqual([]);
});

it("fills no store that has something in it", async () => {
  const source = await filled();
  const file = write(await exported(source));
  const before = await entriesOf(source);
  await expect(importFile(source, file, silent)).rejects.toThrow("The store to be filled is not empty");
  expect(await entriesOf(source)).toEqual(before);
});

it("tells after each chunk how far it is", async () => {
  const told: Step[] = [];
  const show = (step: Step) => void told.push(step);
  const source = await filled();
  const copy = await newDriver("memory");
  const { entries } = await moveStore(source, copy, show);
  expect(told).toEqual([
    { what: "moved", entries, total: null },
    { what: "compared", entries, total: 2 * entries },
    { what: "compared", entries: 2 * entries, total: 2 * entries },
  ]);
  told.length = 0;
  const file = write(await exported(source, show));
  expect(told).toEqual([{ what: "exported", entries, total: null }]);
  told.length = 0;
  await importFile(await newDriver("memory"), file, show);
  const chunks = Array.from({ length: Math.ceil(entries / 1_000) }, (_, at) =>
    Math.min(entries, (at + 1) * 1_000),
  );
  expect(told).toEqual([
    ...chunks.map((done) => ({ what: "checked", entries: done, total: null })),
    ...chunks.map((done) => ({ what: "imported", entries: done, total: entries })),
  ]);
});
