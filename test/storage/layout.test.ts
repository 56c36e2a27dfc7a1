import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { itemKeys, readItem, writeItem } from "../../server/storage/items.ts";
import { openEngine, openStore } from "../../server/storage/open.ts";
import { TABLES } from "../../server/tables.ts";

const LAYOUT = "tidemark:mark";
const FORMER =
  "A release before 1.0 of Tidemark made the store, which this release can't read: use an empty one";
const DAMAGED = "The store's mark is damaged: restore a backup";
const LATER = "A later release of Tidemark made the store: use that one, or an empty store";

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
  await put("key", "{}");
  await (await openStore(`sqlite:${folder}`, { tables })).close();
});

it.each([
  ["of a release before 1.0", "c0:slayout!", `{"version":15}`, FORMER],
  ["of a later release", LAYOUT, `{"version":99}`, LATER],
  ["with a damaged mark", LAYOUT, `{"version":1,"underWay":null}`, DAMAGED],
  ["with a mark that is no mark", LAYOUT, "[]", DAMAGED],
])("refuses a store %s and leaves it unchanged", async (_, key, value, message) => {
  const made = await openEngine(`sqlite:${folder}`, { tables });
  await made.transact(async (session) => {
    await session.define("drop table leads");
    await writeItem(session, key, value);
  });
  await made.close();
  for (let count = 0; count < 2; count++) {
    await expect(openStore(`sqlite:${folder}`, { tables })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
  }
  const engine = await openEngine(`sqlite:${folder}`, { tables: [], makes: "nothing" });
  const named = { text: "select name from sqlite_master where name = 'leads'", values: [] };
  expect(await engine.reads.all(named)).toEqual([]);
  expect(await itemKeys(engine.reads)).toEqual([key]);
  expect(await readItem(engine.reads, key)).toBe(value);
  await engine.close();
});
