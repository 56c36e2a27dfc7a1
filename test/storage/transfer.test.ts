import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import { LAYOUT, readMark, replaceMark } from "../../server/storage/layout.ts";
import { storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { newStore } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { exportLines } from "../../server/transfer/export.ts";
import type { Interrupted } from "../../server/transfer/fill.ts";
import { importFile } from "../../server/transfer/import.ts";
import { totalsOf, type Item } from "../../server/transfer/item.ts";
import { moveStore } from "../../server/transfer/move.ts";
import type { Progress, Step } from "../../server/transfer/progress.ts";
import { atOneMoment, insertItems, itemsIn } from "../../server/transfer/stored-items.ts";
import { NOW, countedChance } from "../support/app.ts";
import { allItemsIn, contentsOf } from "../support/contents.ts";
import { memoryEngine, TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { rounds } from "../support/rounds.ts";
import { MAIN_KINDS, useEmptyStore } from "../support/stores.ts";

const silent = () => {};
const ONCE = { onProgress: silent, resumes: false, isForced: false, commitSize: 150 };

let folder: string;
let opened: Engine[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  opened = [];
});
afterEach(async () => {
  for (const engine of opened) await engine.close();
  rmSync(folder, { recursive: true });
});

async function newEngine(): Promise<Engine> {
  const engine = await memoryEngine();
  opened.push(engine);
  return engine;
}

/** An interruption is tried after every so many commits. */
const CUT_STEP = rounds(4, 1);

const LEADS = 60;
/** The items of a store with a program in it, by its number of leads. */
const programs = new Map<number, Item[]>();

/** A store with a program in it. */
async function filled(engine?: Engine, leadCount = LEADS): Promise<Engine> {
  const items = programs.get(leadCount) ?? (await program(leadCount));
  programs.set(leadCount, items);
  const made = engine ?? (await newEngine());
  await storeOn(made);
  await made.transact((session) => insertItems(session, items, { ...made, seal: TEST_SEAL }));
  return made;
}

async function program(leadCount: number): Promise<Item[]> {
  const engine = await newEngine();
  const context = { store: await storeOn(engine), now: new Date(NOW), chance: countedChance() };
  const { account } = await createAccount(context, {
    name: "Zoë \"'\\ 漢\u2028",
    landing_url: "https://a.example/",
  });
  await seed(context, account, { promoters: 20, leads: leadCount, sales: 60 });
  return allItemsIn(engine);
}

async function exported(engine: Engine, onProgress: Progress = silent): Promise<string[]> {
  let text = "";
  const options = { now: new Date(NOW), onProgress, onEnd: silent, secrets: "plain" } as const;
  for await (const lines of exportLines(engine, options)) text += lines;
  return text.split("\n").slice(0, -1);
}

function write(lines: string[]): string {
  const file = join(folder, "export.ndjson");
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

describe.each(MAIN_KINDS)("a store in %s", (kind) => {
  let engine: Engine;
  useEmptyStore(kind, TABLES, (empty) => void (engine = empty));

  it("is restored from its export exactly", async () => {
    const source = await filled();
    const file = write(await exported(source));
    const totals = await importFile(engine, { ...ONCE, file });
    expect(totals.records).toEqual({
      account: 1,
      "api-key": 1,
      campaign: 3,
      cancellation: expect.any(Number) as number,
      commission: expect.any(Number) as number,
      delivery: expect.any(Number) as number,
      lead: LEADS,
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
    expect(await contentsOf(engine)).toEqual(await contentsOf(source));
    expect(await newStore(engine).nextId("lead")).toBeGreaterThan(LEADS);
  });

  it("is moved exactly", async () => {
    const source = await filled(engine);
    const target = await newEngine();
    const totals = await moveStore([source, target], ONCE);
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
    expect(totals).toEqual(await totalsOf(itemsIn(source.reads)));
    await expect(moveStore([source, target], ONCE)).rejects.toThrow("The target store is not empty");
  });

  it("is exported as it is at a single moment", async () => {
    const source = await filled(engine);
    const before = await totalsOf(itemsIn(source.reads));
    const seen: Item[] = [];
    for await (const items of atOneMoment(source, itemsIn)) {
      if (seen.length === 0) await source.transact(async (session) => session.run(CHANGE));
      seen.push(...items);
    }
    const one = async function* () {
      yield seen;
    };
    expect(await totalsOf(one())).toEqual(before);
    expect((await totalsOf(itemsIn(source.reads))).entries).toBe(before.entries - 1);
  });
});

/** Someone else's. */
const CHANGE = { text: "delete from leads where id = (select max(id) from leads)", values: [] };

it("reports that a move failed if the source was written to meanwhile", async () => {
  const source = await filled();
  const busy: Engine = {
    ...source,
    async snapshot() {
      const snapshot = await source.snapshot();
      const close = async () => {
        await snapshot.close();
        await source.transact(async (session) => session.run(CHANGE));
      };
      return { ...snapshot, close };
    },
  };
  await expect(moveStore([busy, await newEngine()], ONCE)).rejects.toThrow(/^The copy is not the same/);
});

/** The lines of an export, for the tests that spoil a copy of them. */
let whole: Promise<string[]> | undefined;

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
  [
    "has a mark of its own",
    (lines) => lines.with(7, '{"collection":"items","record":{"key":"tidemark:mark","value":"{}"}}'),
    "Line 8 is not a line of an export",
  ],
  [
    "has values that a record can't have",
    (lines) => lines.with(7, '{"collection":"promoter","record":{"account_id":"1","id":1.5,"email":5}}'),
    /^Line 8 has a promoter with values that it can't have: account_id, id, email, / as never,
  ],
  [
    "has a day for an instant",
    (lines) =>
      lines.with(7, lines[7]!.replace(/"created_at":"(\d{4}-\d\d-\d\d)T[^"]*"/, '"created_at":"$1"')),
    /^Line 8 has a [-a-z]+ with values that it can't have: created_at$/ as never,
  ],
  ["has a line after the last", (lines) => [...lines, lines[1]!], /^Line \d+ follows the last one$/ as never],
  ["is another program's", (lines) => lines.with(0, "{}"), "The file is not a Tidemark export"],
  [
    "a release before 1.0 made",
    (lines) =>
      lines.with(0, '{"format":"tidemark-export","version":1,"created_at":"2026-03-01T09:30:00.000Z"}'),
    "The export names no layout: a release before 1.0 made it, or it was changed",
  ],
  [
    "has another layout",
    (lines) => lines.with(0, lines[0]!.replace(/"layout":\d+/, '"layout":99')),
    `The export has layout 99, and this release reads only layout ${LAYOUT}: import it with the release that made it`,
  ],
])("writes nothing from a file that %s", async (_, change, message) => {
  const file = write(change(await (whole ??= filled().then((source) => exported(source)))));
  const target = await newEngine();
  await expect(importFile(target, { ...ONCE, file })).rejects.toThrow(message);
  expect(await contentsOf(target)).toEqual([]);
});

it("refuses to fill a store that has something in it", async () => {
  const source = await filled();
  const file = write(await exported(source));
  const before = await contentsOf(source);
  await expect(importFile(source, { ...ONCE, file })).rejects.toThrow("The target store is not empty");
  expect(await contentsOf(source)).toEqual(before);
});

it("reports its progress after each chunk", async () => {
  const told: Step[] = [];
  const onProgress = (step: Step) => void told.push(step);
  const last = () => [...new Map(told.map((step) => [step.what, step])).values()];
  const source = await filled();
  const { entries } = await moveStore([source, await newEngine()], { ...ONCE, onProgress });
  expect(last()).toEqual([
    { what: "checked", entries, total: null },
    { what: "moved", entries, total: entries },
    { what: "compared", entries: 2 * entries, total: 2 * entries },
  ]);
  told.length = 0;
  const file = write(await exported(source, onProgress));
  expect(last()).toEqual([{ what: "exported", entries, total: null }]);
  told.length = 0;
  await importFile(await newEngine(), { ...ONCE, file, onProgress });
  expect(last()).toEqual([
    { what: "checked", entries, total: null },
    { what: "imported", entries, total: entries },
  ]);
});

it("refuses an export with two records of which there may be one, and names them", async () => {
  const source = await filled();
  const items = await allItemsIn(source);
  const twin = items.find(({ collection }) => collection === "lead")!;
  const doubled = [...items, { ...twin, text: twin.text.replace(/"id":\d+/, '"id":9999') }];
  const twins = async function* () {
    yield doubled;
  };
  const { entries, sha256 } = await totalsOf(twins());
  const lines = doubled.map(({ collection, text }) => `{"collection":"${collection}","record":${text}}`);
  const file = write([(await exported(source))[0]!, ...lines, JSON.stringify({ entries, sha256 })]);
  const target = await newEngine();
  await expect(importFile(target, { ...ONCE, file })).rejects.toMatchObject({
    kind: "malformed",
    message: expect.stringMatching(/^The source contradicts itself: .*(lead|email)/) as string,
  });
  await expect(storeOn(target)).rejects.toMatchObject({ kind: "refused" });
});

describe.each<[string, string, (from: Engine, to: Engine, how: Interrupted) => Promise<unknown>]>([
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
])("%s that was interrupted", (_, message, fill) => {
  const RESUMED = { resumes: true, isForced: false };
  const FORCED = { resumes: false, isForced: true };
  const AGAIN = { resumes: false, isForced: false };
  const refused = { kind: "refused", message };

  it.each([
    ["continues", RESUMED],
    ["starts over", FORCED],
  ])("%s from any point, and its store is refused until then", async (_what, how) => {
    const source = await filled();
    const expected = await contentsOf(source);
    for (let cutAt = 0; ; cutAt += CUT_STEP) {
      const target = await newEngine();
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
      expect(await contentsOf(target)).toEqual(expected);
      await storeOn(target);
    }
  });

  it("continues only with its own source", async () => {
    const target = await newEngine();
    await fill(await filled(), dyingAt(target, 2), AGAIN).catch(() => {});
    const other = await filled(undefined, LEADS + 1);
    await expect(fill(other, target, RESUMED)).rejects.toMatchObject({
      kind: "refused",
      message: "The store was being filled from another source: --force starts over",
    });
    await fill(other, target, FORCED);
    expect(await contentsOf(target)).toEqual(await contentsOf(other));
  });

  it("continues only in the release that began it, which knows its sums", async () => {
    const [source, target] = [await filled(), await newEngine()];
    await fill(source, dyingAt(target, 4), AGAIN).catch(() => {});
    const seen = await readMark(target.reads);
    const former = { ...seen.mark!, version: LAYOUT - 1 };
    await target.transact(async (session) => void (await replaceMark(session, seen, former)));
    await expect(fill(source, target, RESUMED)).rejects.toMatchObject({
      kind: "refused",
      message: "The store was being filled by another release: --force starts over",
    });
    await fill(source, target, FORCED);
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });

  it("does not touch a store that is whole, whatever its options", async () => {
    const [source, target] = [await filled(), await filled(undefined, LEADS + 1)];
    const before = await contentsOf(target);
    for (const how of [AGAIN, RESUMED, FORCED]) {
      await expect(fill(source, target, how)).rejects.toMatchObject({ kind: "in_use" });
    }
    expect(await contentsOf(target)).toEqual(before);
  });

  it("is done only by the process that began last", async () => {
    const [source, target] = [await filled(), await newEngine()];
    let commits = 0;
    const slow: Engine = {
      ...target,
      async transact(work) {
        if (commits++ === 2) await fill(source, target, RESUMED);
        return target.transact(work);
      },
    };
    await expect(fill(source, slow, AGAIN)).rejects.toThrow("Another process has begun to work on the store");
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });
});
