import { mkdtemp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createStorage } from "unstorage";
import files from "unstorage/drivers/fs";
import memory from "unstorage/drivers/memory";
import { afterEach, expect, it } from "vitest";
import { openArchive, type Archive } from "../../../server/transfer/migration/archive.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const clock = () => new Date("2026-06-01T00:00:00.000Z");

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "archive-"));
  folders.push(folder);
  return folder;
}

const filesIn = (base: string) => createStorage({ driver: files({ base }) });

async function rowsOf(archive: Archive, run: number, list: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const row of archive.read(run).rows(list)) found.push(row);
  return found;
}

it("keeps rows as they came, a line each, in files that zcat reads", async () => {
  const folder = await newFolder();
  const archive = openArchive(filesIn(folder), 7, "dub");
  const run = await archive.begin(clock);
  const row = { id: "pn_1", name: "Zoë\n", big: "007", nested: { list: [1.5, null] } };
  await run.keep("partners", [row, { id: "pn_2" }], { next: 2 });
  const bytes = await readFile(join(folder, "7/dub/1/partners/000001.jsonl.gz"));
  expect(gunzipSync(bytes).toString()).toBe(
    '{"kept_at":"2026-06-01T00:00:00.000Z","list":"partners","mark":{"next":2}}\n' +
      '{"id":"pn_1","name":"Zoë\\n","big":"007","nested":{"list":[1.5,null]}}\n{"id":"pn_2"}\n',
  );
  expect(await rowsOf(archive, 1, "partners")).toEqual([row, { id: "pn_2" }]);
});

it("gives a row that came twice once, with its last text", async () => {
  const archive = openArchive(createStorage(), 1, "dub");
  const run = await archive.begin(clock);
  await run.keep("partners", [{ id: 1, name: "old" }, { id: 2 }, { text: "no id" }]);
  await run.keep("partners", [{ text: "no id" }, { id: 1, name: "new" }, { key: "3" }]);
  await run.keep("customers", [{ id: 1 }]);
  expect(await rowsOf(archive, 1, "partners")).toEqual([
    { id: 2 },
    { text: "no id" },
    { id: 1, name: "new" },
    { key: "3" },
  ]);
});

it("finds the runs that are left when an earlier one was deleted", async () => {
  const folder = await newFolder();
  const archive = openArchive(filesIn(folder), 7, "dub");
  for (const number of [1, 2]) {
    const run = await archive.begin(clock);
    await run.keep("partners", [{ number }]);
    await run.end();
  }
  await rm(join(folder, "7/dub/1"), { recursive: true });
  expect((await archive.runs()).map(({ id }) => id)).toEqual([2]);
  expect((await archive.begin(clock)).id).toBe(3);
});

it("continues an interrupted run, and begins another one after its end", async () => {
  const storage = createStorage();
  const first = await openArchive(storage, 1, "tolt").begin(clock);
  await first.keep("partners", [{ id: 1 }], { next: 1 });
  const archive = openArchive(storage, 1, "tolt");
  const again = await archive.begin(clock);
  expect([again.id, again.mark("partners"), again.mark("links")]).toEqual([1, { next: 1 }, null]);
  await again.keep("partners", [{ id: 2 }], { next: 2 });
  await again.end();
  expect(await rowsOf(archive, 1, "partners")).toEqual([{ id: 1 }, { id: 2 }]);
  const next = await archive.begin(clock);
  expect([next.id, next.mark("partners")]).toEqual([2, null]);
  expect(await rowsOf(archive, 2, "partners")).toEqual([]);
  const at = "2026-06-01T00:00:00.000Z";
  expect(await archive.runs()).toEqual([
    { id: 1, started_at: at, ended_at: at },
    { id: 2, started_at: at, ended_at: null },
  ]);
});

it("begins another run if an interrupted one was read by another key, or is old", async () => {
  const storage = createStorage();
  const archive = openArchive(storage, 1, "dub");
  const at = (hours: number) => () => new Date(Date.UTC(2026, 5, 1) + hours * 3_600_000);
  const idOf = async (hours: number, access: string) => {
    const run = await archive.begin(at(hours), access);
    await run.keep("partners", [{ id: hours }]);
    return run.id;
  };
  expect([await idOf(0, "test key"), await idOf(1, "test key")]).toEqual([1, 1]);
  expect([await idOf(2, "real key"), await idOf(3, "real key")]).toEqual([2, 2]);
  // It goes on as long as it is not left alone for a day.
  expect([await idOf(26, "real key"), await idOf(49, "real key")]).toEqual([2, 2]);
  expect(await idOf(74, "real key")).toBe(3);
});

it("never lists keys, because some drivers have only the first thousand", async () => {
  const getKeys = () => expect.fail("keys are listed");
  const storage = createStorage({ driver: { ...memory(), getKeys } });
  const archive = openArchive(storage, 1, "dub");
  for (let number = 1; number <= 3; number++) {
    const run = await archive.begin(clock);
    expect(run.mark("partners")).toBe(number === 1 ? null : number - 1);
    await run.keep("partners", [{ id: number }], number);
  }
  expect(await rowsOf(archive, 1, "partners")).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

it("keeps accounts and sources apart", async () => {
  const storage = createStorage();
  const run = await openArchive(storage, 1, "dub").begin(clock);
  await run.keep("partners", [{ id: 1 }]);
  expect(await openArchive(storage, 11, "dub").runs()).toEqual([]);
  expect(await openArchive(storage, 1, "tolt").runs()).toEqual([]);
});

it("ignores a file that was cut off at any byte, and goes on before it", async () => {
  const folder = await newFolder();
  const storage = filesIn(folder);
  const rows = [{ id: 2, name: "long enough to be cut" }];
  const file = join(folder, "1/dub/1/partners/000002.jsonl.gz");
  const run = await openArchive(storage, 1, "dub").begin(clock);
  await run.keep("partners", [{ id: 1 }], { next: 1 });
  await run.keep("partners", rows, { next: 2 });
  const { length } = await readFile(file);
  for (let size = length - 1; size >= 0; size -= 1) {
    await truncate(file, size);
    const archive = openArchive(storage, 1, "dub");
    expect(await rowsOf(archive, 1, "partners")).toEqual([{ id: 1 }]);
  }
  const archive = openArchive(storage, 1, "dub");
  const again = await archive.begin(clock);
  expect(again.mark("partners")).toEqual({ next: 1 });
  expect(await readdir(join(folder, "1/dub/1/partners"))).toEqual(["000001.jsonl.gz"]);
  await again.keep("partners", rows, { next: 2 });
  expect(await rowsOf(archive, 1, "partners")).toEqual([{ id: 1 }, ...rows]);
});

it("begins a run again whose first file was cut off", async () => {
  const folder = await newFolder();
  const storage = filesIn(folder);
  await openArchive(storage, 1, "dub").begin(clock);
  await truncate(join(folder, "1/dub/1/run/000001.jsonl.gz"), 5);
  const archive = openArchive(storage, 1, "dub");
  expect(await archive.runs()).toEqual([]);
  const run = await archive.begin(clock);
  await run.end();
  expect((await archive.runs()).map(({ id }) => id)).toEqual([1]);
});
