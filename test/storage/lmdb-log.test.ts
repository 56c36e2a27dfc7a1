import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { open } from "lmdb";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AtomicDriver, Changes } from "../../server/storage/driver.ts";
import { lmdbDriver } from "../../server/storage/drivers/lmdb.ts";
import { knownTexts } from "../../server/storage/drivers/lmdb/known-texts.ts";
import { list } from "../../server/storage/drivers/lmdb/lists.ts";
import { newLog } from "../../server/storage/drivers/lmdb/log.ts";
import { newView } from "../../server/storage/drivers/lmdb/view.ts";
import { encodeKey } from "../../server/storage/keys.ts";
import { EVERYTHING, type Entry } from "../../server/storage/snapshot.ts";

const KEYS = Array.from({ length: 24 }, (_, at) => String.fromCharCode(97 + at));
const SUMS = ["x+", "y+", "z+"];
const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };
const LIMITS = [
  { keys: 1, records: Infinity },
  { keys: 4, records: 3 },
  { keys: 12, records: 20 },
] as const;
/** Of three keys, two are logged. */
const isLogged = (key: string) => key.charCodeAt(0) % 3 !== 0;

type Drawn<A> = A extends fc.Arbitrary<infer T> ? T : never;

const key = fc.constantFrom(...KEYS);
const commit = fc.record({
  kind: fc.constant("commit" as const),
  puts: fc.dictionary(key, fc.constantFrom("1", "2", "3"), { maxKeys: 5, noNullPrototype: true }),
  removes: fc.uniqueArray(key, { maxLength: 3 }),
  sums: fc.uniqueArray(fc.constantFrom(...SUMS), { maxLength: 3 }),
  checked: fc.uniqueArray(key, { maxLength: 2 }),
  isFounded: fc.constantFrom(true, true, true, false),
});
const burst = fc.record({
  kind: fc.constant("burst" as const),
  /** Who commits, and whether the others get a turn before the next. */
  writers: fc.array(fc.tuple(fc.nat({ max: 2 }), fc.boolean()), { minLength: 2, maxLength: 20 }),
});
const read = fc.record({
  kind: fc.constant("read" as const),
  bounds: fc.tuple(key, key).map((pair) => pair.toSorted() as [string, string]),
  limit: fc.constantFrom(0, 1, 3, Infinity),
  offset: fc.nat({ max: 4 }),
  reverse: fc.boolean(),
});
const others = fc.record({ kind: fc.constantFrom("turn" as const, "reopen" as const) });
const step = fc.tuple(
  fc.nat({ max: 2 }),
  fc.oneof(
    { weight: 6, arbitrary: commit },
    { weight: 3, arbitrary: read },
    { weight: 1, arbitrary: burst },
    others,
  ),
);

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "tidemark-log-"))));
afterEach(() => rmSync(folder, { recursive: true }));

it("is not seen by who reads, whoever of three writes, and however often they come and go", async () => {
  let run = 0;
  const steps = fc.array(step, { minLength: 20, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom(...LIMITS), async (given, limits) => {
      const path = join(folder, String(run++));
      const openDriver = () => lmdbDriver(path, { isLogged, limits });
      const drivers = [openDriver(), openDriver(), openDriver()];
      const model = new Map<string, string>();
      try {
        for (const [who, each] of given) {
          const driver = drivers[who]!;
          if (each.kind === "commit") await change(driver, model, each);
          else if (each.kind === "burst") await changeAtOnce(drivers, model, each.writers);
          else if (each.kind === "read") await compare(driver, model, each);
          else if (each.kind === "turn") await nextTurn();
          else {
            await driver.dispose?.();
            drivers[who] = openDriver();
          }
        }
        for (const driver of drivers) await compareAll(driver, model);
      } finally {
        for (const driver of drivers) await driver.dispose?.();
      }
    }),
    { numRuns: 60 },
  );
});

it("has what lies all over a store wait, and all else in the tree at once", async () => {
  const driver = lmdbDriver(folder);
  const [claim, lead] = [encodeKey([1, "lead.email", "jane"]), encodeKey([1, "lead", 7])];
  await driver.commit({ ...NOTHING, puts: [claim, lead].map((name): Entry => [name, "7"]) });
  await driver.dispose?.();
  const { marks, entries } = await contents(folder);
  expect(entries).toEqual([[lead, "7"]]);
  expect(marks.map(([, text]) => text)).toContain(JSON.stringify([[claim, "7"]]));
});

it("tells a snapshot what it told at its beginning, however much is merged meanwhile", async () => {
  const driver = lmdbDriver(folder, { isLogged, limits: { keys: 500, records: Infinity } });
  const names = Array.from({ length: 3_000 }, (_, at) => `${KEYS[at % 24]}${1_000 + at}`).toSorted();
  const put = async (order: string[], value: string) => {
    for (let done = 0; done < order.length; done += 100) {
      const puts = order.slice(done, done + 100).map((name): Entry => [name, value]);
      await driver.commit({ ...NOTHING, puts });
    }
  };
  await put(names, "first");
  const told: Entry[] = [];
  for await (const chunk of driver.snapshot!()) {
    if (told.length === 0) {
      await put(names.toReversed(), "second");
      await driver.commit({ ...NOTHING, removes: names });
    }
    told.push(...chunk);
  }
  expect(told).toEqual(names.map((name) => [name, "first"]));
  expect(await driver.count(EVERYTHING)).toBe(0);
  await driver.dispose?.();
});

it.each([
  ["keys", 1_000],
  ["records", 1],
])("waits for so many %s alone, also where a process only writes", async (limited, keys) => {
  const limits = { keys: Infinity, records: Infinity, [limited]: 10 };
  const driver = lmdbDriver(folder, { isLogged: () => true, limits });
  for (let at = 0; at < 1_000; at++) await driver.commit({ ...NOTHING, puts: [[`k${at % keys}`, "1"]] });
  await driver.dispose?.();
  const { marks, entries } = await contents(folder);
  expect(marks.length).toBeLessThan(40);
  expect(entries.length).toBeGreaterThan(keys - 40);
});

it("merges what was logged at once before a counter alone has filled the next layer", async () => {
  const limits = { keys: 100, records: 20 };
  const driver = lmdbDriver(folder, { isLogged: () => true, limits });
  const puts = Array.from({ length: limits.keys }, (_, at): Entry => [`k${at}`, "1"]);
  await driver.commit({ ...NOTHING, puts });
  for (let at = 0; at < 200; at++) {
    await driver.commit({ ...NOTHING, sums: [["n", 1]] });
    const { marks } = await contents(folder);
    expect(marks.length).toBeLessThan(2 * limits.records + 5);
  }
  await driver.dispose?.();
});

it("leaves nothing in a backup of what was removed", async () => {
  const driver = lmdbDriver(folder, { isLogged });
  for (const name of KEYS) await driver.commit({ ...NOTHING, puts: [[name, `text of ${name}`]] });
  await driver.commit({ ...NOTHING, removes: ["b"] });
  await driver.commit({ ...NOTHING, sums: [["y+", 2]] });
  const copy = join(folder, "copy");
  mkdirSync(copy);
  await driver.backup!(copy);
  await driver.commit({ ...NOTHING, puts: [["b", "again"]] });
  expect(await driver.getItemRaw("b")).toBe("again");
  await driver.dispose?.();
  const { marks, entries } = await contents(copy);
  const left = KEYS.filter((name) => name !== "b").map((name): Entry => [name, `text of ${name}`]);
  left.push(["y+", '{"sum":2}']);
  expect(entries).toEqual(left.toSorted(byKey));
  expect(marks.filter(([, text]) => text.includes("text of"))).toEqual([]);
});

it("tells nothing of what a process remembers that others have merged since it read", async () => {
  const db = open<string, string>({ path: folder, noSubdir: false, encoding: "string" });
  const [idle, busy] = [newLog(db, LIMITS[0]), newLog(db, LIMITS[0])];
  const put = async (name: string, text: string) => {
    await db.transaction(() => {
      const record = busy.begin();
      record.set(name, text);
      record.end();
    });
    busy.catchUp();
  };
  await put("a", "first");
  idle.catchUp();
  expect(idle.get("a")).toBe("first");
  await put("a", "second");
  for (const name of "bcdefghi") await put(name, "1");
  const told = await db.transaction(() => {
    const record = idle.begin();
    return [record.get("a"), record.get("i"), db.get("a")];
  });
  expect(told).toEqual([undefined, "1", "second"]);
  idle.catchUp();
  expect([idle.get("a"), idle.get("i")]).toEqual([undefined, "1"]);
  await db.close();
});

it("lists what is of one moment, though lmdb begins another by itself", async () => {
  const openParts = () => {
    const db = open<string, string>({ path: folder, noSubdir: false, encoding: "string" });
    return { db, log: newLog(db), known: knownTexts(), isLogged: () => true };
  };
  const [reader, writer] = [openParts(), openParts()];
  const put = (text: string) =>
    writer.db.transactionSync(() => {
      const record = writer.log.begin();
      record.set("b", text);
      record.end();
      void writer.db.put("c", text);
    });
  const view = newView(reader);
  put("old");
  view.freshen();
  put("new");
  // As its timer does.
  reader.db.resetReadTxn();
  expect(list(view.now(), { ...EVERYTHING, limit: 9 })).toEqual([
    ["b", "new"],
    ["c", "new"],
  ]);
  for (const { db } of [reader, writer]) await db.close();
});

it("writes nothing of commits that a fault keeps from being told apart", async () => {
  const driver = lmdbDriver(folder, { isLogged });
  await driver.commit({ ...NOTHING, puts: [["x+", "no counter"]] });
  const commits = KEYS.map((name, at) =>
    driver.commit({ ...NOTHING, puts: [[name, "1"]], sums: at === 9 ? [["x+", 1]] : [] }),
  );
  const settled = await Promise.allSettled(commits);
  const done = KEYS.filter((_, at) => settled[at]!.status === "fulfilled");
  expect(done.length).toBeLessThan(KEYS.length);
  const left = done.map((name): Entry => [name, "1"]);
  left.push(["x+", "no counter"]);
  expect(await driver.list({ ...EVERYTHING, limit: 99 })).toEqual(left.toSorted(byKey));
  await driver.dispose?.();
});

async function change(
  driver: AtomicDriver,
  model: Map<string, string>,
  { puts, removes, sums, checked, isFounded }: Drawn<typeof commit>,
): Promise<void> {
  const isDone = await driver.commit({
    checks: checked.map((each) => [each, isFounded ? (model.get(each) ?? null) : "other"]),
    puts: Object.entries(puts),
    removes,
    sums: sums.map((each) => [each, 1]),
  });
  expect(isDone).toBe(isFounded || checked.length === 0);
  if (!isDone) return;
  for (const [name, text] of Object.entries(puts)) model.set(name, text);
  for (const name of removes) model.delete(name);
  for (const name of sums) count(model, name);
}

/** Each puts a key of its own, which it reads as soon as that is done, and adds to the same counters. */
async function changeAtOnce(
  drivers: AtomicDriver[],
  model: Map<string, string>,
  writers: [who: number, yields: boolean][],
): Promise<void> {
  const commits = [];
  for (const [at, [who, yields]] of writers.entries()) {
    const name = KEYS[at]!;
    const sums = SUMS.map((each): [string, number] => [each, 1]);
    const driver = drivers[who]!;
    const committed = driver.commit({ ...NOTHING, puts: [[name, `of ${who}`]], sums });
    commits.push(committed.then(() => driver.getItemRaw(name)));
    model.set(name, `of ${who}`);
    for (const each of SUMS) count(model, each);
    if (yields) await nextTurn();
    await driver.getItemRaw(name);
  }
  expect(await Promise.all(commits)).toEqual(writers.map(([who]) => `of ${who}`));
}

function count(model: Map<string, string>, name: string): void {
  const { sum } = JSON.parse(model.get(name) ?? '{"sum":0}') as { sum: number };
  model.set(name, `{"sum":${sum + 1}}`);
}

async function compare(
  driver: AtomicDriver,
  model: Map<string, string>,
  { bounds: [from, before], limit, offset, reverse }: Drawn<typeof read>,
): Promise<void> {
  // Another has written, and nobody told this one: only a new turn, or what was to come of it, shows that.
  driver.refresh!();
  const within = entriesOf(model).filter(([name]) => name >= from && name < before);
  const page = (reverse ? within.toReversed() : within).slice(offset, offset + limit);
  expect(await driver.list({ from, before, limit, offset, reverse })).toEqual(page);
  expect(await driver.count({ from, before })).toBe(within.length);
  expect(await driver.getItemRaw(from)).toBe(model.get(from) ?? null);
}

async function compareAll(driver: AtomicDriver, model: Map<string, string>): Promise<void> {
  driver.refresh!();
  const all = entriesOf(model);
  const told: Entry[] = [];
  for await (const chunk of driver.snapshot!()) told.push(...chunk);
  expect(told).toEqual(all);
  expect(await driver.getKeys("", {})).toEqual(all.map(([name]) => name));
  for (const name of KEYS) expect(await driver.getItemRaw(name)).toBe(model.get(name) ?? null);
}

function entriesOf(model: Map<string, string>): Entry[] {
  return [...model].toSorted(byKey);
}

function byKey([a]: Entry, [b]: Entry): number {
  return a < b ? -1 : 1;
}

/** What LMDB itself has in a folder, before the keys of entries and from there on. */
async function contents(path: string): Promise<{ marks: Entry[]; entries: Entry[] }> {
  const db = open<string, string>({ path, noSubdir: false, encoding: "string" });
  const all = [...db.getRange({})].map(({ key: name, value }): Entry => [name, value]);
  await db.close();
  return {
    marks: all.filter(([name]) => name < EVERYTHING.from),
    entries: all.filter(([name]) => name >= EVERYTHING.from),
  };
}
