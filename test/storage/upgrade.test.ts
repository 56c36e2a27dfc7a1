import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadBalance } from "../../server/domain/ledger/commission/balance.ts";
import { formerItems, LAYOUT, MARK_KEY } from "../../server/storage/layout.ts";
import { openEngine, storeOn } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { SQLITE } from "../../server/storage/sql.ts";
import { newStore } from "../../server/storage/store.ts";
import { TABLES } from "../../server/tables.ts";
import { findFaults } from "../../server/transfer/check.ts";
import { importFile } from "../../server/transfer/import.ts";
import { itemLine } from "../../server/transfer/item.ts";
import { moveStore } from "../../server/transfer/move.ts";
import { countEntries, entriesIn, type Entry } from "../../server/transfer/upgrade/former-items.ts";
import { upgradeStore } from "../../server/transfer/upgrade/upgrade.ts";
import { NOW, startApp } from "../support/app.ts";
import { allItemsIn, contentsOf } from "../support/contents.ts";
import {
  ANSWERS_10,
  ANSWERS_5,
  DATABASE_10,
  DATABASE_12,
  EXPORT_10,
  EXPORT_12,
  EXPORT_5,
  answersOf,
  entriesOfLayout5,
  moneyAnswersOf,
} from "../support/fixture.ts";
import { memoryEngine, TEST_SEAL } from "../support/memory-engine.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { IS_LONG, rounds } from "../support/rounds.ts";
import { KINDS, useEmptyDatabase } from "../support/stores.ts";

/** An interruption is tried after every so many commits, and all answers are compared after these of them. */
const CUT_STEP = rounds(3, 1);
const LOOKED_AT = rounds(4, 1);
const ONCE = { onProgress: () => {}, resumes: false, isForced: false };
const OLDER =
  "The store was made by an earlier release of Tidemark: `tidemark upgrade` upgrades it, and so does starting the server";
const INTERRUPTED =
  "An upgrade of the store is running or was interrupted: if nothing runs it any more, `tidemark upgrade` continues it";

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

async function newEngine(entries: Entry[] = []): Promise<Engine> {
  const engine = await memoryEngine();
  opened.push(engine);
  await putFormer(engine, entries);
  return engine;
}

/** Writes entries as releases did that had no tables. */
async function putFormer(engine: Engine, entries: Entry[]): Promise<void> {
  const table = engine.dialect === SQLITE ? "items" : "tidemark_items";
  const [key, value] = [1, 2].map(engine.dialect.value);
  await engine.transact(async (session) => {
    if (engine.dialect !== SQLITE)
      await session.run({
        text: `create table ${table} (key text collate "C" primary key, value text not null)`,
        values: [],
      });
    for (const entry of entries)
      await session.run({
        text: `insert into ${table} (key, value) values (${key}, ${value})`,
        values: entry,
      });
  });
}

async function upgrade(engine: Engine, name = "backup.jsonl"): Promise<string | null> {
  const file = join(folder, name);
  return upgradeStore(engine, {
    url: "memory:",
    now: new Date(NOW),
    onProgress: () => {},
    file,
    commitSize: 100,
    noticedMs: 0,
  });
}

async function formerOf(engine: Engine): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const chunk of entriesIn(engine.reads)) entries.push(...chunk);
  return entries;
}

async function expectWhole(engine: Engine): Promise<void> {
  const faults: string[] = [];
  for await (const fault of findFaults(engine)) faults.push(fault);
  expect(faults).toEqual([]);
  expect(await formerOf(engine)).toEqual(
    (await formerItems(engine.reads)) ? [[MARK_KEY, `{"version":${LAYOUT}}`]] : [],
  );
  const app = await startApp("memory", { store: await storeOn(engine), isFilled: true });
  expect(await answersOf(app)).toEqual(ANSWERS_5);
  expect(app.bugs).toEqual([]);
  app.services.post.close();
}

describe.each(IS_LONG ? KINDS : ["memory"])("in %s", (kind) => {
  let engine: Engine;
  useEmptyDatabase(kind, TABLES, (empty) => void (engine = empty));

  it("an export of layout 5 is imported, and all answers stay the same", async () => {
    const totals = await importFile(engine, { ...ONCE, file: EXPORT_5 });
    expect(totals.records).toMatchObject({ lead: 52, visitor: 29, promoter: 11, payout: 12 });
    await expectWhole(engine);
  });

  it("a store of layout 5 is upgraded, and all answers stay the same", async () => {
    await putFormer(engine, entriesOfLayout5());
    await expect(storeOn(engine)).rejects.toMatchObject({ kind: "refused", message: OLDER });
    const backup = await upgrade(engine);
    await expectWhole(engine);
    expect(readFileSync(backup!, "utf8").split("\n").slice(1, -2)).toEqual(
      readFileSync(EXPORT_5, "utf8").split("\n").slice(1, -2),
    );
    expect(await upgrade(engine, "second.jsonl")).toBeNull();
  });

  it("the store of layout 12 keeps all records", async () => {
    await putFormer(engine, await entriesOf(DATABASE_12));
    await upgrade(engine);
    const lines = (await allItemsIn(engine)).map((item) => itemLine(item).trimEnd());
    expect(lines.toSorted()).toEqual(linesOf12());
    for await (const fault of findFaults(engine)) expect.fail(fault);
    expect(await countEntries(engine.reads)).toBe(1);
  });
});

/** The entries of a SQLite file. */
async function entriesOf(database: string): Promise<Entry[]> {
  const copy = mkdtempSync(join(folder, "copy-"));
  copyFileSync(database, join(copy, "tidemark.db"));
  const engine = await openEngine(`sqlite:${copy}`, { tables: TABLES, seal: TEST_SEAL });
  opened.push(engine);
  return formerOf(engine);
}

/** The lines of that release's export. It had an account that was held for a moment by a process, which is gone. */
function linesOf12(): string[] {
  const lines = readFileSync(EXPORT_12, "utf8").trimEnd().split("\n").slice(1, -1);
  return lines.filter((line) => !line.includes('"state":"held"')).toSorted();
}

it("an export of layout 12 is imported with all records", async () => {
  const engine = await newEngine();
  await importFile(engine, { ...ONCE, file: EXPORT_12 });
  const lines = (await allItemsIn(engine)).map((item) => itemLine(item).trimEnd());
  expect(lines.toSorted()).toEqual(linesOf12());
});

describe("the release with layout 10 left a program whose answers stay the same", () => {
  async function expectKept(engine: Engine): Promise<void> {
    const app = await startApp("memory", { store: await storeOn(engine), isFilled: true });
    expect(await moneyAnswersOf(app)).toMatchObject(ANSWERS_10);
    for await (const fault of findFaults(engine)) expect.fail(fault);
    expect(app.bugs).toEqual([]);
    app.services.post.close();
  }

  it("in its SQLite file", async () => {
    copyFileSync(DATABASE_10, join(folder, "tidemark.db"));
    const engine = await openEngine(`sqlite:${folder}`, { tables: TABLES, seal: TEST_SEAL });
    opened.push(engine);
    await upgrade(engine);
    await expectKept(engine);
  });

  it("in its export", async () => {
    const engine = await newEngine();
    await importFile(engine, { ...ONCE, file: EXPORT_10 });
    await expectKept(engine);
  });
});

it("a store of layout 6, which has shorter keys, is upgraded", async () => {
  const entries = await entriesOf(DATABASE_10);
  const isMark = ([key]: Entry) => key === MARK_KEY;
  const source = await newEngine(entries.map((each) => (isMark(each) ? [MARK_KEY, '{"version":7}'] : each)));
  await upgrade(source);
  const engine = await newEngine(entries.map(asInLayout6));
  await expect(storeOn(engine)).rejects.toMatchObject({ kind: "refused", message: OLDER });
  await upgrade(engine, "second.jsonl");
  expect(await contentsOf(engine)).toEqual(await contentsOf(source));
});

it("an upgrade can be undone by importing the backup, which only its owner can read", async () => {
  const engine = await newEngine(entriesOfLayout5());
  const backup = (await upgrade(engine))!;
  expect(statSync(backup).mode & 0o777).toBe(0o600);
  const again = await newEngine();
  await importFile(again, { ...ONCE, file: backup });
  await expectWhole(again);
});

it("an upgrade changes nothing if the backup can't be written", async () => {
  const engine = await newEngine(entriesOfLayout5());
  const before = await formerOf(engine);
  writeFileSync(join(folder, "backup.jsonl"), "");
  await expect(upgrade(engine)).rejects.toThrow("backup.jsonl already exists");
  expect(await formerOf(engine)).toEqual(before);
});

it("an upgrade continues after any interruption, and the store is refused until it is complete", async () => {
  for (let cutAt = 1; ; cutAt += CUT_STEP) {
    const engine = await newEngine(entriesOfLayout5());
    const isDone = await upgrade(dyingAt(engine, cutAt), `${cutAt}.jsonl`).then(
      () => true,
      () => false,
    );
    if (isDone) return expect(cutAt).toBeGreaterThan(5);
    await expect(storeOn(engine)).rejects.toMatchObject({ kind: "refused", message: INTERRUPTED });
    expect(await upgrade(engine, "none.jsonl")).toBeNull();
    if (cutAt % LOOKED_AT === 0) await expectWhole(engine);
  }
});

it("an upgrade keeps earnings and payments, to the cent", async () => {
  const engine = await newEngine();
  await importFile(engine, { ...ONCE, file: EXPORT_5 });
  const store = newStore(engine);
  expect((await loadBalance(store, 1, 7)).units).toEqual({
    cash: { earnings: 2_034, current: 1_234, paid: 800 },
  });
  expect((await loadBalance(store, 1, 8)).units).toEqual({
    cash: { earnings: 250, current: 0, paid: 250 },
    points: { earnings: 8, current: 0, paid: 8 },
  });
});

it("an upgrade gives no id twice", async () => {
  const engine = await newEngine();
  await importFile(engine, { ...ONCE, file: EXPORT_5 });
  const store = newStore(engine);
  for (const kind of ["lead", "promoter", "commission", "payout"]) {
    expect(await store.nextId(kind)).toBeGreaterThan(256);
  }
});

it("an upgrade leaves webhooks their form", async () => {
  const engine = await newEngine(entriesOfLayout5());
  await upgrade(engine);
  const app = await startApp("memory", { store: await storeOn(engine), isFilled: true });
  const { status, body } = await app.v2("GET", "/webhooks");
  expect([status, body]).toMatchObject([200, [{ id: 1, format: "v2", event_types: ["referral.created"] }]]);
  expect(app.bugs).toEqual([]);
  app.services.post.close();
});

it("a move upgrades the records too", async () => {
  const [from, to] = [await newEngine(entriesOfLayout5()), await newEngine()];
  await moveStore([from, to], ONCE);
  await expectWhole(to);
});

it.each([
  [
    "of a later release",
    { version: 99 },
    "The store was made by a later release of Tidemark: use that one, or an empty store",
  ],
  [
    "of an early build",
    { version: 4 },
    "The store was made by a build before 0.1 of Tidemark: use that one, or an empty store",
  ],
])("an upgrade leaves a store %s unchanged", async (_, mark, message) => {
  const entries: Entry[] = [["c0:slayout!", JSON.stringify(mark)]];
  const engine = await newEngine(entries);
  await expect(upgrade(engine)).rejects.toMatchObject({ kind: "refused", message });
  expect(await formerOf(engine)).toEqual(entries);
});

/** An entry with the abbreviated keys of layout 6. */
function asInLayout6([key, text]: Entry): Entry {
  if (key === "c0:slayout!") return [key, '{"version":6}'];
  const short = new Map([
    ["spromoter!", "t"],
    ["scommission!", "tb"],
    ["svisitor!", "tf"],
    ["slead!", "z"],
    ["sdaily+2epromoter+2dcampaign@3d!", "u"],
    ["sclicks!", "ta"],
  ]);
  return [
    key
      .split(":")
      .map((segment) => short.get(segment) ?? segment)
      .join(":"),
    text,
  ];
}
