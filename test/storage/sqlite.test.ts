import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openDriver } from "../../server/storage/open.ts";

const NOTHING = { checks: [], puts: [], removes: [], sums: [] };

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tidemark-"));
  file = join(folder, "tidemark.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openDriver(`sqlite:${folder}`);

/** Puts a number of items, a thousand in each commit. */
async function fill(count: number) {
  const driver = await open();
  for (let at = 0; at < count; at += 1_000) {
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${at + index}`);
    await driver.commit({ ...NOTHING, puts: keys.map((key) => [key, "x".repeat(100)]) });
  }
  return driver;
}

it("hides its files from everybody else on the machine", async () => {
  const driver = await fill(1_000);
  const modes = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mode & 0o777]);
  expect(modes).toEqual([
    ["tidemark.db", 0o600],
    ["tidemark.db-shm", 0o600],
    ["tidemark.db-wal", 0o600],
  ]);
  await driver.dispose?.();
});

it("leaves everything in one file when it is closed", async () => {
  const driver = await fill(2_000);
  await driver.dispose?.();
  for (const beside of ["-wal", "-shm"]) rmSync(`${file}${beside}`, { force: true });
  const again = await open();
  expect(await again.count({ from: " ", before: "~" })).toBe(2_000);
  await again.dispose?.();
});

it("leaves nothing of removed data in its file", async () => {
  const driver = await open();
  const texts = Array.from({ length: 500 }, (_, at) => `jane-${at}@example.com `.repeat(at));
  await driver.commit({ ...NOTHING, puts: texts.map((text, at) => [`k${at}`, text]) });
  await driver.commit({ ...NOTHING, removes: texts.map((_, at) => `k${at}`) });
  await driver.dispose?.();
  expect(readFileSync(file).includes("jane")).toBe(false);
});

it("finishes pending commits when it is closed", async () => {
  const driver = await open();
  const commits = ["a", "b"].map((key) => driver.commit({ ...NOTHING, puts: [[key, "1"]] }));
  await nextTurn();
  commits.push(driver.commit({ ...NOTHING, puts: [["c", "1"]] }));
  await driver.dispose?.();
  expect(await Promise.all(commits)).toEqual([true, true, true]);
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
  await (await fill(5_000)).dispose?.();
  const copy = join(folder, "copy");
  mkdirSync(copy);
  writeFileSync(join(copy, "tidemark.db"), readFileSync(file).subarray(0, statSync(file).size / 2));
  await expect(openDriver(`sqlite:${copy}`)).rejects.toThrow(
    new Error(`${join(copy, "tidemark.db")} is damaged or cut off: restore a backup`),
  );
});

it("finds damage deep in a file", async () => {
  const whole = await fill(5_000);
  expect(await whole.damage?.()).toEqual([]);
  await whole.dispose?.();
  const bytes = readFileSync(file);
  const copy = join(folder, "copy");
  mkdirSync(copy);
  writeFileSync(join(copy, "tidemark.db"), bytes.fill(0x55, bytes.length / 2, bytes.length / 2 + 4_096));
  const damaged = await openDriver(`sqlite:${copy}`);
  expect((await damaged.damage?.())?.length).toBeGreaterThan(0);
  await damaged.dispose?.();
});

it("tells a copy that lacks its log from one that is whole", async () => {
  const driver = await open();
  // The second commit waits until the thread has marked the file.
  for (const key of ["a", "b", "c"]) await driver.commit({ ...NOTHING, puts: [[key, "1"]] });
  const damageIn = async (name: string, besides: string[], before?: (copy: string) => Promise<void>) => {
    const copy = join(folder, name);
    mkdirSync(copy);
    await before?.(copy);
    for (const beside of besides) copyFileSync(`${file}${beside}`, join(copy, `tidemark.db${beside}`));
    const opened = await openDriver(`sqlite:${copy}`);
    const found = await opened.damage?.();
    const keys = await opened.getKeys("", {});
    await opened.dispose?.();
    return { found, keys };
  };
  const keys = ["a", "b", "c"];
  const whole = { found: [], keys };
  const sentence = expect.stringMatching(
    /^\/.*tidemark\.db was copied from a running server without its log \(tidemark\.db-wal\): changes since \d{4}-\d\d-\d\dT\d\d:\d\dZ may be missing\. Copy with `tidemark backup`, or stop the servers first$/,
  ) as string;
  expect(await damageIn("file", [""])).toEqual({ found: [sentence], keys: ["a"] });
  expect(await damageIn("both", ["", "-wal"])).toEqual(whole);
  expect(await damageIn("backup", [], (copy) => driver.backup!(copy))).toEqual(whole);
  expect(await driver.damage?.()).toEqual([]);
  // A command beside the server ends, and the server goes on.
  const beside = await open();
  await beside.commit({ ...NOTHING, puts: [["a", "2"]] });
  await beside.dispose?.();
  await driver.dispose?.();
  expect(await damageIn("stopped", [""])).toEqual(whole);
});

it("writes its log back while others read constantly", async () => {
  const driver = await open();
  const load = { isOver: false };
  const reading = (async () => {
    for (; !load.isOver; await nextTurn()) await driver.getItem("k1");
  })();
  for (let round = 0; round < 40; round++) {
    const keys = Array.from({ length: 1_000 }, (_, index) => `k${index}`);
    await driver.commit({ ...NOTHING, puts: keys.map((key) => [key, `${round}`.padEnd(100)]) });
  }
  load.isOver = true;
  await reading;
  const { size } = statSync(file);
  // The same thousand items again and again: a log that is never written back would be forty times their
  // size.
  expect(statSync(`${file}-wal`).size).toBeLessThan(20 * size);
  await driver.dispose?.();
});

it("copies a single moment while it is written to, readable only by its owner", async () => {
  const driver = await fill(20_000);
  const target = mkdtempSync(join(tmpdir(), "tidemark-copy-"));
  const load = { isOver: false };
  const writing = (async () => {
    for (let at = 0; !load.isOver; at++)
      await driver.commit({
        ...NOTHING,
        puts: [
          [`n${at}`, "1"],
          [`m${at}`, "1"],
        ],
      });
  })();
  await driver.backup?.(target);
  load.isOver = true;
  await writing;
  expect(statSync(join(target, "tidemark.db")).mode & 0o777).toBe(0o600);
  const copy = await openDriver(`sqlite:${target}`);
  expect(await copy.damage?.()).toEqual([]);
  expect(await copy.count({ from: "k", before: "l" })).toBe(20_000);
  const halves = ["m", "n"].map((half) => copy.count({ from: half, before: `${half}~` }));
  const [left, right] = await Promise.all(halves);
  expect(left).toBe(right);
  await copy.dispose?.();
  await driver.dispose?.();
  rmSync(target, { recursive: true });
});
