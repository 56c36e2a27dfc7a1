import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { itemKeys, readItem, writeItem } from "../../server/storage/items.ts";
import { openEngine, openStore, requireStore } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";

const LAYOUT = "c0:slayout!";
const BUILD = "The store was made by a build before 0.1 of Tidemark: use that one, or an empty store";
const LATER = "The store was made by a later release of Tidemark: use that one, or an empty store";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "tidemark-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const tables = TABLES;
const put = async (key: string, value: string) => {
  const engine = await openEngine(`sqlite:${folder}`, { tables });
  await engine.transact((session) => writeItem(session, key, value));
  await engine.close();
};

it("reopens a store that it made, even if several processes made it at once", async () => {
  const stores = await Promise.all([1, 2, 3].map(() => openStore(`sqlite:${folder}`, { tables })));
  for (const store of stores) await store.close();
  await put("c1:slead!:c1", "{}");
  await (await openStore(`sqlite:${folder}`, { tables })).close();
});

it("makes no new store beside an LMDB store, and says which release moves it", async () => {
  writeFileSync(join(folder, "data.mdb"), "");
  const said = `Only Tidemark 0.1 opens LMDB stores. With it, run STORAGE_URL=lmdb:${folder} tidemark export all.ndjson. With this release, run tidemark import all.ndjson into an empty store. See "From 0.1 to 0.2" in docs/operators.md`;
  await expect(openStore(`sqlite:${folder}`, { tables })).rejects.toThrow(new Error(said));
  expect(() => requireStore(`sqlite:${folder}`)).toThrow(new Error(said));
  expect(readdirSync(folder)).toEqual(["data.mdb"]);
});

it.each([
  ["without a layout mark", "c1:slead!:c1", "{}", BUILD],
  ["of an early build", LAYOUT, `{"version":1}`, BUILD],
  ["of a later release", LAYOUT, `{"version":99}`, LATER],
])("refuses a store %s and leaves it unchanged", async (_, key, value, message) => {
  await put(key, value);
  for (let count = 0; count < 2; count++) {
    await expect(openStore(`sqlite:${folder}`, { tables })).rejects.toMatchObject({
      kind: "refused",
      message,
    });
  }
  const engine = await openEngine(`sqlite:${folder}`, { tables });
  expect(await itemKeys(engine.reads)).toEqual([key]);
  expect(await readItem(engine.reads, key)).toBe(value);
  await engine.close();
});
