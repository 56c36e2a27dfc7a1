import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/account/account.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { encodeKey } from "../../server/storage/keys.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { putEntries, snapshot, type Entry } from "../../server/storage/listing/snapshot.ts";
import { storeOn } from "../../server/storage/open.ts";
import { newStore } from "../../server/storage/store.ts";
import type { Interrupted } from "../../server/transfer/fill.ts";
import { exportLines } from "../../server/transfer/export.ts";
import { importFile } from "../../server/transfer/import.ts";
import { moveStore, totalsOf } from "../../server/transfer/move.ts";
import type { Progress, Step } from "../../server/transfer/progress.ts";
import { NOW, countedChance } from "../support/app.ts";
import { entriesIn, tellingEntriesIn } from "../support/entries.ts";
import { dyingAt } from "../support/dying-driver.ts";
import { DRIVERS, type DriverSource, type EmptyDriver } from "../support/drivers.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false };
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

/** The entries of a store with a program in it, by its number of leads. */
const programs = new Map<number, Entry[]>();

/** A store with a program in it. 60 leads make more entries than one chunk holds. */
async function filled(kind = "memory", leadCount = 60): Promise<AtomicDriver> {
  const entries = programs.get(leadCount) ?? (await program(leadCount));
  programs.set(leadCount, entries);
  const driver = await newDriver(kind);
  await putEntries(driver, entries);
  return driver;
}

async function program(leadCount: number): Promise<Entry[]> {
  const driver = memoryDriver();
  const context = { store: await storeOn(driver), now: new Date(NOW), chance: countedChance() };
  const { account } = await createAccount(context, {
    name: "Zoë \"'\\ 漢\u2028",
    landingUrl: "https://a.example/",
  });
  await seed(context, account, { promoters: 20, leads: leadCount, sales: 60 });
  return entriesIn(driver);
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
  it("is restored from its export exactly", async () => {
    const source = await filled();
    const target = await newDriver(kind);
    const file = write(await exported(source));
    const totals = await importFile(target, { ...ONCE, file });
    expect(totals.records).toEqual({
      account: 1,
      "api-key": 1,
      campaign: 3,
      cancellation: expect.any(Number) as number,
      commission: expect.any(Number) as number,
      delivery: expect.any(Number) as number,
      lead: 60,
      listening: 1,
      origin: expect.any(Number) as number,
      "past-clicks": expect.any(Number) as number,
      "payments-batch": expect.any(Number) as number,
      payout: expect.any(Number) as number,
      "payout-method": expect.any(Number) as number,
      product: 3,
      "product-price": 3,
      "promo-code": 12,
      promoter: 20,
      "promoter-campaign": 20,
      "payout-run": 12,
      "ref-token": 20,
      refund: expect.any(Number) as number,
      reward: 5,
      sale: expect.any(Number) as number,
      "sub-id": expect.any(Number) as number,
      visitor: expect.any(Number) as number,
      webhook: 1,
    });
    expect(await tellingEntriesIn(target)).toEqual(await tellingEntriesIn(source));
    expect(await newStore(target).nextId("lead")).toBeGreaterThan(60);
  });

  it("is moved exactly", async () => {
    const source = await filled(kind);
    const target = await newDriver("memory");
    const totals = await moveStore([source, target], ONCE);
    expect(await tellingEntriesIn(target)).toEqual(await tellingEntriesIn(source));
    expect(totals).toEqual(await totalsOf(source));
    await expect(moveStore([source, target], ONCE)).rejects.toThrow("The target store is not empty");
  });

  it("is exported as it is at a single moment", async () => {
    const source = await filled(kind);
    const before = await entriesIn(source);
    const seen: Entry[] = [];
    const key = before.at(-1)![0];
    for await (const entries of snapshot(source)) {
      if (seen.length === 0)
        await source.commit({ ...NOTHING, removes: [key], puts: [[before[0]![0], '{"changed":true}']] });
      seen.push(...entries);
    }
    expect(seen).toEqual(before);
    expect(await entriesIn(source)).toHaveLength(before.length - 1);
  });
});

it("reports that a move failed if the source was written to meanwhile", async () => {
  const source = await filled();
  let count = 0;
  const state = JSON.stringify({ accountId: 1, promoterCampaignId: 1, state: "accepted" });
  const busy: AtomicDriver = {
    ...source,
    async *snapshot() {
      yield* source.snapshot!();
      await source.commit({ ...NOTHING, puts: [[encodeKey([1, "archived-state", ++count]), state]] });
    },
  };
  await expect(moveStore([busy, await newDriver("memory")], ONCE)).rejects.toThrow(
    /^The copy is not the same/,
  );
});

const CHANGED = "The file was changed since it was exported: its checksum does not match";
it.each<[string, (lines: string[]) => string[], string]>([
  ["is empty", () => [], "The file is cut off: its last line is missing"],
  ["is cut off", (lines) => lines.slice(0, 30), "The file is cut off: its last line is missing"],
  ["lacks a line", (lines) => lines.toSpliced(7, 1), CHANGED],
  ["has swapped lines", (lines) => lines.with(7, lines[8]!).with(8, lines[7]!), CHANGED],
  ["has a changed line", (lines) => lines.map((line) => line.replaceAll("Zoë", "Zoe")), CHANGED],
  [
    "has a line that is not JSON",
    (lines) => lines.with(7, '{"key":"a"'),
    "Line 8 is not a line of an export",
  ],
  [
    "has a line that is not a record",
    (lines) => lines.with(7, '{"collection":"a"}'),
    "Line 8 is not a line of an export",
  ],
  ["has a line after the last", (lines) => [...lines, lines[1]!], /^Line \d+ follows the last one$/ as never],
  ["is another program's", (lines) => lines.with(0, "{}"), "The file is not a Tidemark export"],
  [
    "has a later version",
    (lines) => lines.with(0, lines[0]!.replace('"version":2', '"version":3')),
    "The export has version 3, which only a later release can read: import it with that one",
  ],
  [
    "has a later layout",
    (lines) => lines.with(0, lines[0]!.replace(/"layout":\d+/, '"layout":99')),
    "The export has layout 99, which only a later release can read: import it with that one",
  ],
])("writes nothing from a file that %s", async (_, change, message) => {
  const file = write(change(await exported(await filled())));
  const target = await newDriver("memory");
  await expect(importFile(target, { ...ONCE, file })).rejects.toThrow(message);
  expect(await entriesIn(target)).toEqual([]);
});

it("refuses to fill a store that has something in it", async () => {
  const source = await filled();
  const file = write(await exported(source));
  const before = await entriesIn(source);
  await expect(importFile(source, { ...ONCE, file })).rejects.toThrow("The target store is not empty");
  expect(await entriesIn(source)).toEqual(before);
});

it("reports its progress after each chunk", async () => {
  const told: Step[] = [];
  const onProgress = (step: Step) => void told.push(step);
  const last = () => [...new Map(told.map((step) => [step.what, step])).values()];
  const source = await filled();
  const { entries } = await moveStore([source, await newDriver("memory")], { ...ONCE, onProgress });
  const all = (await entriesIn(source)).length;
  const rebuilt = [
    { what: "cleared", entries: entries + 1, total: null },
    { what: "rebuilt", entries: entries + 1, total: null },
  ];
  expect(last()).toEqual([
    { what: "checked", entries, total: null },
    { what: "moved", entries, total: entries },
    ...rebuilt,
    { what: "compared", entries: 2 * entries, total: 2 * entries },
  ]);
  told.length = 0;
  const file = write(await exported(source, onProgress));
  expect(last()).toEqual([{ what: "exported", entries: all, total: null }]);
  told.length = 0;
  await importFile(await newDriver("memory"), { ...ONCE, file, onProgress });
  expect(last()).toEqual([
    { what: "checked", entries, total: null },
    { what: "imported", entries, total: entries },
    ...rebuilt,
  ]);
});

describe.each<[string, string, (from: AtomicDriver, to: AtomicDriver, how: Interrupted) => Promise<unknown>]>(
  [
    [
      "an import",
      "An import into the store is unfinished: run `tidemark import` again with --resume to continue it, or with --force to start over",
      async (from, to, how) => importFile(to, { ...ONCE, ...how, file: write(await exported(from)) }),
    ],
    [
      "a move",
      "A move into the store is unfinished: run `tidemark move` again with --resume to continue it, or with --force to start over",
      (from, to, how) => moveStore([from, to], { ...ONCE, ...how }),
    ],
  ],
)("%s that was interrupted", (_, message, fill) => {
  const RESUMED = { resumes: true, isForced: false };
  const FORCED = { resumes: false, isForced: true };
  const AGAIN = { resumes: false, isForced: false };
  const refused = { kind: "refused", message };

  it.each([
    ["continues", RESUMED],
    ["starts over", FORCED],
  ])("%s from any point, and its store is refused until then", async (_what, how) => {
    const source = await filled();
    const expected = await tellingEntriesIn(source);
    for (let cutAt = 0; ; cutAt++) {
      const target = memoryDriver();
      const dying = dyingAt(target, cutAt);
      const isDone = await fill(source, dying, AGAIN).then(
        () => true,
        () => false,
      );
      if (isDone) return expect(cutAt).toBeGreaterThan(5);
      if (cutAt > 0) {
        await expect(storeOn(target)).rejects.toMatchObject(refused);
        await expect(fill(source, target, AGAIN)).rejects.toMatchObject(refused);
      }
      // Interrupted once more on the way.
      await fill(source, dyingAt(target, 1), how).catch(() => {});
      await fill(source, target, how);
      expect(await tellingEntriesIn(target)).toEqual(expected);
      await storeOn(target);
    }
  });

  it("continues only with its own source", async () => {
    const target = memoryDriver();
    await fill(await filled(), dyingAt(target, 2), AGAIN).catch(() => {});
    const other = await filled("memory", 61);
    await expect(fill(other, target, RESUMED)).rejects.toMatchObject({
      kind: "refused",
      message: "The store was being filled from another source: --force starts over",
    });
    await fill(other, target, FORCED);
    expect(await tellingEntriesIn(target)).toEqual(await tellingEntriesIn(other));
  });

  it("does not touch a store that is whole, whatever its options", async () => {
    const [source, target] = [await filled(), await filled("memory", 61)];
    const before = await entriesIn(target);
    for (const how of [AGAIN, RESUMED, FORCED]) {
      await expect(fill(source, target, how)).rejects.toMatchObject({ kind: "in_use" });
    }
    expect(await entriesIn(target)).toEqual(before);
  });

  it("is done only by the process that began last", async () => {
    const [source, target] = [await filled(), memoryDriver()];
    let commits = 0;
    const slow: AtomicDriver = {
      ...target,
      async commit(changes) {
        if (commits++ === 2) await fill(source, target, RESUMED);
        return target.commit(changes);
      },
    };
    await expect(fill(source, slow, AGAIN)).rejects.toThrow("Another process has begun to work on the store");
    expect(await tellingEntriesIn(target)).toEqual(await tellingEntriesIn(source));
  });
});
