import { createStorage, type Driver, type Storage } from "unstorage";
import { Failure } from "../failure.ts";
import { keyOf, recordOf } from "./record.ts";
import { parseStored, type Key, type Table } from "./table.ts";
import { itemKeys, readItem, writeItem } from "./items.ts";
import { isOwn } from "./kept-texts.ts";
import type { Engine } from "./session.ts";
import { sqlName } from "./sql.ts";
import { newStore, type Store } from "./store.ts";

/**
 * A whole store for unstorage. Each table is mounted under its SQL name, with a record's account and key in
 * its keys (`leads:1:7`); everything else is a plain item. Setting a record checks it like any other write,
 * and derives its columns and unique values.
 */
export function unstorageOf(engine: Engine, tables: readonly Table<never>[]): Storage {
  const store = newStore(engine);
  const storage = createStorage({ driver: itemDriver(engine) });
  for (const table of tables) storage.mount(sqlName(table), recordDriver(engine, store, table));
  return storage;
}

/**
 * Plain items. `getItemRaw` is missing on purpose: unstorage then stores bytes as base64 and decodes them.
 */
export function itemDriver(engine: Engine): Driver {
  const read = async (key: string) => (isOwn(key) ? null : readItem(engine.reads, key));
  const write = (key: string, value: string | null) => {
    if (isOwn(key)) throw new Failure("refused", `${key} belongs to the store itself`);
    return engine.transact((session) => writeItem(session, key, value));
  };
  return {
    name: "tidemark-items",
    hasItem: async (key) => (await read(key)) !== null,
    getItem: read,
    setItem: write,
    removeItem: (key) => write(key, null),
    getKeys: async () => (await itemKeys(engine.reads)).filter((key) => !isOwn(key)),
  };
}

type Stored = { account_id: number };

function recordDriver(engine: Engine, store: Store, of: Table<never>): Driver {
  const table = of as unknown as Table<Stored>;
  const read = async (key: string) => {
    const place = placeIn(table, key);
    const row = place && (await engine.reads.get(of, place.account_id, place.key));
    return row && JSON.stringify(recordOf(table, row));
  };
  return {
    name: `tidemark-${of.name}`,
    hasItem: async (key) => (await read(key)) !== null,
    getItem: read,
    async setItem(key, value) {
      const record = parseStored<Stored>(of.name, value);
      if (keyIn(table, record) !== key)
        throw new Failure("invalid", `The record belongs under ${keyIn(table, record)}, not under ${key}`);
      await store.transact((tx) => tx.put(table, record));
    },
    async removeItem(key) {
      const place = placeIn(table, key);
      if (place !== null) await store.transact((tx) => tx.remove(table, place.account_id, ...place.key));
    },
    async getKeys() {
      const text = `select ${of.selected} from ${sqlName(of)}`;
      const rows = await engine.reads.all({ text, values: [] });
      return rows.map((row) => keyIn(table, recordOf(table, row)));
    },
  };
}

/** unstorage rewrites some characters of keys, so each part is encoded. */
function keyIn(table: Table<Stored>, record: Stored): string {
  return [record.account_id, ...keyOf(table, record)].map(encodePart).join(":");
}

function encodePart(part: string | number): string {
  return encodeURIComponent(part).replaceAll("..", "%2E%2E").replace(/^\.$/, "%2E");
}

/** The account and key that an unstorage key names, or null if it is malformed. */
function placeIn(
  { key: names, columns }: Table<Stored>,
  key: string,
): { account_id: number; key: Key } | null {
  const [account, ...parts] = key.split(":").map(decodeURIComponent);
  if (parts.length !== names.length) return null;
  return {
    account_id: Number(account),
    key: parts.map((part, at) => (columns[names[at]!] === "integer" ? Number(part) : part)),
  };
}
