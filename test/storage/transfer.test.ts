import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/account.ts";
import { seed } from "../../server/domain/seed.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { lmdbDriver } from "../../server/storage/drivers/lmdb.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { snapshot, type Entry } from "../../server/storage/snapshot.ts";
import { newStore } from "../../server/storage/store.ts";
import { exportLines } from "../../server/transfer/export.ts";
import { importFile } from "../../server/transfer/import.ts";
import { moveStore, totalsOf } from "../../server/transfer/move.ts";
import { NOW, STORAGES, countedChance } from "../support/app.ts";

const silent = () => {};
const NOTHING = { checks: [], puts: [], removes: [], sums: [] };

let folder: string;
let drivers: AtomicDriver[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  drivers = [];
});
afterEach(async () => {
  for (const driver of drivers) await newStore(driver).close();
  rmSync(folder, { recursive: true });
});

function newDriver(kind: (typeof STORAGES)[number]): AtomicDriver {
  const driver = kind === "memory" ? memoryDriver() : lmdbDriver(join(folder, String(drivers.length)));
  drivers.push(driver);
  return driver;
}

/** A store with a program in it; 60 leads make more entries than one chunk holds. */
async function filled(kind: (typeof STORAGES)[number] = "memory"): Promise<AtomicDriver> {
  const driver = newDriver(kind);
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

async function exported(driver: AtomicDriver): Promise<string[]> {
  let text = "";
  for await (const lines of exportLines(driver, { now: new Date(NOW), onProgress: silent, onEnd: silent }))
    text += lines;
  return text.split("\n").slice(0, -1);
}

function write(lines: string[]): string {
  const file = join(folder, "export.ndjson");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

describe.each(STORAGES)("a store in %s", (kind) => {
  it("comes back from its export to the letter", async () => {
    const source = await filled();
    const target = newDriver(kind);
    const file = write(await exported(source));
    const totals = await importFile(target, file, silent);
    expect(totals.records).toEqual({
      account: 1,
      "api-key": 1,
      balance: expect.any(Number) as number,
      campaign: 1,
      lead: 60,
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
    const target = newDriver("memory");
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
  await expect(moveStore(busy, newDriver("memory"), silent)).rejects.toThrow(/^The copy is not the same/);
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
])("writes nothing from a file that %s", async (_, change, message) => {
  const file = write(change(await exported(await filled())));
  const target = newDriver("memory");
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

it("tells of each hundred thousand entries", async () => {
  const source = memoryDriver();
  const many = Array.from({ length: 250 }, (_, at): Entry => [`k${at}`, "{}"]);
  const busy: AtomicDriver = {
    ...source,
    async *snapshot() {
      for (let done = 0; done < 1_000; done++) yield many;
    },
  };
  const told: number[] = [];
  const lines = exportLines(busy, {
    now: new Date(NOW),
    onProgress: (count) => told.push(count),
    onEnd: silent,
  });
  for await (const line of lines) expect(line).not.toBe("");
  expect(told).toEqual([100_000, 200_000]);
});
