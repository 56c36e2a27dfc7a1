import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { keepDamagedLog } from "../../server/storage/engines/sqlite/log-damage.ts";
import { openEngine } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { newStore } from "../../server/storage/store.ts";
import { integer, table, text, type RowOf } from "../../server/storage/table.ts";
import { IS_LONG, rounds } from "../support/rounds.ts";

const thingFields = {
  id: integer(),
  text: text(),
};

type Thing = RowOf<typeof thingFields>;

const things = table("thing", thingFields);
const twins = table("twin", thingFields);

const LOG_DAMAGED =
  /^The log of \/.*tidemark\.db was damaged at byte \d+, and the changes after it are lost\. \/.*\/tidemark\.db-wal\.damaged-\S+ is a copy: compare with your backups, and delete it when that is settled$/;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  file = join(folder, "tidemark.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (where = folder) => openEngine(`sqlite:${where}`, { tables: [things, twins] });
const thing = (id: number, text = "1") => ({ account_id: 1, id, text });
const countIn = (engine: Engine, from = things) => newStore(engine).count(from, "id", 1, []);

/** Writes records in one commit. */
function put(engine: Engine, ...records: Thing[]): Promise<void> {
  return newStore(engine).transact(async (tx) => {
    for (const record of records) await tx.put(things, record);
  });
}

/** Puts a number of records, a thousand in each commit. */
async function fill(count: number): Promise<Engine> {
  const engine = await open();
  for (let at = 0; at < count; at += 1_000)
    await put(engine, ...Array.from({ length: 1_000 }, (_, index) => thing(at + index, "x".repeat(100))));
  return engine;
}

it("hides its files from everybody else on the machine", async () => {
  const engine = await fill(1_000);
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  expect(modes).toEqual([
    ["tidemark.db", 0o600],
    ["tidemark.db-shm", 0o600],
    ["tidemark.db-wal", 0o600],
  ]);
  await engine.close();
});

it("answers the questions that are open when it is closed", async () => {
  const engine = await open();
  const text =
    "with recursive numbers (n) as (values (1) union all select n + 1 from numbers where n < 300000) " +
    "select count(*) as count from numbers";
  const answers = Promise.all(Array.from({ length: 5 }, () => engine.reads.ask({ text, values: [] })));
  await engine.close();
  expect(await answers).toEqual(Array.from({ length: 5 }, () => [{ count: 300_000 }]));
});

it("leaves everything in one file when it is closed", async () => {
  await (await fill(2_000)).close();
  for (const beside of ["-wal", "-shm"]) rmSync(`${file}${beside}`, { force: true });
  const again = await open();
  expect(await countIn(again)).toBe(2_000);
  await again.close();
});

it("leaves nothing of removed data in its file", async () => {
  const engine = await open();
  const all = Array.from({ length: 500 }, (_, at) => thing(at, `jane-${at}@example.com `.repeat(at)));
  await put(engine, ...all);
  await newStore(engine).transact(async (tx) => {
    for (const { id } of all) await tx.remove(things, 1, id);
  });
  await engine.close();
  expect(readFileSync(file).includes("jane")).toBe(false);
});

it("finishes pending commits when it is closed", async () => {
  const engine = await open();
  const commits = [1, 2].map((id) => put(engine, thing(id)));
  await nextTurn();
  commits.push(put(engine, thing(3)));
  await engine.close();
  await Promise.all(commits);
  const again = await open();
  expect(await countIn(again)).toBe(3);
  await again.close();
});

it("gets the tables that it lacks", async () => {
  const engine = await openEngine(`sqlite:${folder}`, { tables: [things] });
  await put(engine, thing(1));
  const later = await open();
  await newStore(later).transact((tx) => tx.put(twins, thing(2)));
  expect([await countIn(later), await countIn(later, twins)]).toEqual([1, 1]);
  await put(engine, thing(3));
  await Promise.all([engine.close(), later.close()]);
});

it("says in a sentence that a file is not a store", async () => {
  writeFileSync(file, "no database at all, and long enough to be sure of that".repeat(20));
  await expect(open()).rejects.toThrow(new Error(`${file} is not a SQLite file`));
  rmSync(file);
  const other = new DatabaseSync(file);
  other.exec("create table songs (title text)");
  other.close();
  await expect(open()).rejects.toMatchObject({
    kind: "refused",
    message: `${file} belongs to another program`,
  });
  const untouched = new DatabaseSync(file, { readOnly: true });
  expect(untouched.prepare("select name from sqlite_master").all()).toEqual([{ name: "songs" }]);
  untouched.close();
});

it("says in a sentence that a file was cut off", async () => {
  await (await fill(5_000)).close();
  const copy = join(folder, "copy");
  mkdirSync(copy);
  writeFileSync(join(copy, "tidemark.db"), readFileSync(file).subarray(0, statSync(file).size / 2));
  await expect(open(copy)).rejects.toThrow(
    new Error(`${join(copy, "tidemark.db")} is damaged or cut off: restore a backup`),
  );
});

it("finds damage deep in a file", async () => {
  const whole = await fill(5_000);
  expect(await whole.damage?.()).toEqual([]);
  await whole.close();
  const bytes = readFileSync(file);
  const copy = join(folder, "copy");
  mkdirSync(copy);
  writeFileSync(join(copy, "tidemark.db"), bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 4_096));
  const damaged = await open(copy);
  expect((await damaged.damage?.())?.length).toBeGreaterThan(0);
  await damaged.close();
});

it("tells a copy that lacks its log from one that is whole", async () => {
  const engine = await open();
  // After the first commit the file is marked.
  for (const id of [1, 2, 3]) await put(engine, thing(id));
  const damageIn = async (name: string, besides: string[], before?: (copy: string) => Promise<void>) => {
    const copy = join(folder, name);
    mkdirSync(copy);
    await before?.(copy);
    for (const beside of besides) copyFileSync(`${file}${beside}`, join(copy, `tidemark.db${beside}`));
    const opened = await open(copy);
    const found = await opened.damage?.();
    const count = await countIn(opened);
    await opened.close();
    return { found, count };
  };
  const whole = { found: [], count: 3 };
  const sentence = expect.stringMatching(
    /^\/.*tidemark\.db was copied from a running server without its log \(tidemark\.db-wal\): changes since \d{4}-\d\d-\d\dT\d\d:\d\dZ may be missing\. Copy with `tidemark backup`, or stop the servers first$/,
  ) as string;
  expect(await damageIn("file", [""])).toEqual({ found: [sentence], count: 1 });
  expect(await damageIn("both", ["", "-wal"])).toEqual(whole);
  expect(await damageIn("backup", [], (copy) => engine.backup!(copy))).toEqual(whole);
  expect(await engine.damage?.()).toEqual([]);
  // A command beside the server ends, and the server goes on.
  const beside = await open();
  await put(beside, thing(1, "2"));
  await beside.close();
  await engine.close();
  expect(await damageIn("stopped", [""])).toEqual(whole);
});

it("keeps a copy of a damaged log, and says so until it is deleted", async () => {
  const engine = await open();
  for (let id = 0; id < 10; id++) await put(engine, thing(id));
  const copy = join(folder, "copy");
  mkdirSync(copy);
  copyFileSync(file, join(copy, "tidemark.db"));
  const log = readFileSync(`${file}-wal`);
  log[log.length >> 1]! ^= 1;
  writeFileSync(join(copy, "tidemark.db-wal"), log);
  await engine.close();
  const damageAfter = async (work: (opened: Engine) => Promise<void>) => {
    const opened = await open(copy);
    await work(opened);
    const damage = await opened.damage!();
    await opened.close();
    return damage;
  };
  const told = [expect.stringMatching(LOG_DAMAGED) as string];
  expect(await damageAfter(async (opened) => expect(await countIn(opened)).toBeLessThan(9))).toEqual(told);
  expect(await damageAfter((opened) => put(opened, thing(20)))).toEqual(told);
  const kept = readdirSync(copy).find((name) => name.startsWith("tidemark.db-wal.damaged-"))!;
  expect(readFileSync(join(copy, kept))).toEqual(log);
  rmSync(join(copy, kept));
  expect(await damageAfter((opened) => put(opened, thing(21)))).toEqual([]);
});

it("tells a damaged log from one that merely ends", async () => {
  await (await open()).close(); // The tables are in the file.
  const engine = await open();
  for (let id = 0; id < 40; id++) await put(engine, thing(id, "x".repeat(1_000)));
  const log = readFileSync(`${file}-wal`);
  /** What is left of the records if the server was killed and its log changed, and how many logs are kept as damaged. */
  const afterKill = (changed: Buffer) => {
    const copy = mkdtempSync(join(folder, "copy-"));
    copyFileSync(file, join(copy, "tidemark.db"));
    writeFileSync(join(copy, "tidemark.db-wal"), changed);
    const kept = keepDamagedLog(join(copy, "tidemark.db"));
    const db = new DatabaseSync(join(copy, "tidemark.db"));
    const { count } = db.prepare("select count(*) as count from things").get() as { count: number };
    db.close();
    return { count, kept: kept.length };
  };
  fc.assert(
    fc.property(fc.nat(log.length - 1), fc.nat(7), (byte, bit) => {
      expect(afterKill(log.subarray(0, byte)).kept).toBe(0);
      const flipped = Buffer.from(log);
      flipped[byte]! ^= 1 << bit;
      const { count, kept } = afterKill(flipped);
      // A wrong last commit may also be one that a power cut has interrupted.
      expect([count, kept]).toEqual([count, count < 39 ? 1 : 0]);
    }),
    { numRuns: rounds(50, 1_000) },
  );
  await engine.close();
});

it("writes its log back while others read constantly", async () => {
  const engine = await open();
  const load = { isOver: false };
  const reading = (async () => {
    for (; !load.isOver; await nextTurn()) await newStore(engine).get(things, 1, 1);
  })();
  for (let round = 0; round < 40; round++)
    await put(engine, ...Array.from({ length: 1_000 }, (_, id) => thing(id, `${round}`.padEnd(100))));
  load.isOver = true;
  await reading;
  const { size } = statSync(file);
  // The same thousand records again and again: a log that is never written back would be forty times their
  // size.
  expect(statSync(`${file}-wal`).size).toBeLessThan(20 * size);
  await engine.close();
});

it("copies a single moment while it is written to, readable only by its owner", async () => {
  const engine = await fill(20_000);
  const target = mkdtempSync(join(tmpdir(), "tidemark-copy-"));
  const load = { isOver: false };
  const writing = (async () => {
    for (let id = 100_000; !load.isOver; id++) {
      await newStore(engine).transact(async (tx) => {
        await tx.insert(things, thing(id));
        await tx.insert(twins, thing(id));
      });
    }
  })();
  await engine.backup?.(target);
  load.isOver = true;
  await writing;
  expect(statSync(join(target, "tidemark.db")).mode & 0o777).toBe(0o600);
  const copy = await open(target);
  expect(await copy.damage?.()).toEqual([]);
  expect(await countIn(copy)).toBe(20_000 + (await countIn(copy, twins)));
  await copy.close();
  await engine.close();
  rmSync(target, { recursive: true });
});

it("reads a single moment in a snapshot, whatever is written meanwhile", async () => {
  const engine = await fill(3_000);
  const moment = await engine.snapshot();
  await put(engine, thing(1, "changed"), thing(9_999));
  const read = async () => (await moment.all({ text: "select count(*) from things", values: [] }))[0];
  expect([await read(), await moment.get(things as never, 1, [9_999])]).toEqual([[3_000], null]);
  expect(await moment.get(things as never, 1, [1])).toEqual([1, 1, "x".repeat(100)]);
  await moment.close();
  expect(await countIn(engine)).toBe(3_001);
  await engine.close();
});

// It waits for eight seconds.
it.skipIf(!IS_LONG)(
  "refuses a commit if another process writes for very long, and takes the next one",
  async () => {
    const engine = await open();
    const other = new DatabaseSync(file);
    other.exec("begin immediate");
    await expect(put(engine, thing(1))).rejects.toMatchObject({
      kind: "unavailable",
      message: "The store could not be written to; try again",
    });
    other.exec("rollback");
    other.close();
    await put(engine, thing(2));
    expect(await countIn(engine)).toBe(1);
    await engine.close();
  },
);

it("reads what it has committed in the turn that read the former record", async () => {
  const engine = await open();
  await put(engine, thing(1, "before"));
  const store = newStore(engine);
  const former = await store.transact(async (tx) => {
    await tx.put(things, thing(1, "after"));
    return store.get(things, 1, 1);
  });
  expect([former, await store.get(things, 1, 1)]).toEqual([thing(1, "before"), thing(1, "after")]);
  await engine.close();
});

it.each(["", "-wal"])(
  "acknowledges nothing, and reads nothing, while its file%s is deleted or another one",
  async (beside) => {
    const engine = await open();
    await put(engine, thing(1));
    const store = newStore(engine);
    const away = join(folder, "away");
    const gone = {
      kind: "unavailable",
      message: "The store's file was deleted or replaced; try again later",
    };
    // It is lost between the beginning of a commit and its end.
    const commit = store.transact(async (tx) => {
      await tx.put(things, thing(2));
      renameSync(`${file}${beside}`, away);
    });
    await expect(commit).rejects.toMatchObject(gone);
    const refused = async () => {
      await nextTurn();
      await expect(put(engine, thing(3))).rejects.toMatchObject(gone);
      await expect(store.nextId("thing")).rejects.toMatchObject(gone);
      await expect((async () => store.get(things, 1, 1))()).rejects.toMatchObject(gone);
      await expect(countIn(engine)).rejects.toMatchObject(gone);
      await expect(engine.snapshot()).rejects.toMatchObject(gone);
      await expect(engine.backup!(join(folder, "copy"))).rejects.toMatchObject(gone);
      expect(await store.whyUnready()).toBe(gone.message);
    };
    await refused();
    expect(existsSync(`${file}${beside}`)).toBe(false);
    copyFileSync(away, `${file}${beside}`);
    await refused();
    renameSync(away, `${file}${beside}`);
    await nextTurn();
    await put(engine, thing(4));
    expect(await store.whyUnready()).toBe(null);
    await engine.close();
  },
);
