import type { Driver } from "unstorage";
import { Failure } from "../failure.ts";
import { keyOf, wrongFields } from "./record.ts";
import { sqlName } from "./sql.ts";
import { isInstant } from "./storable.ts";
import type { Store } from "./store.ts";
import type { ColumnValue, Derived, Field, Key, KeyPart, Table } from "./table.ts";

type Stored = { account_id: number };

/** The schema of a query that names its table and columns at run time. */
type Named = Record<string, Record<string, ColumnValue>>;

/**
 * The tables of a store as a driver of unstorage. A record is JSON under its table's SQL name, its account and its key:
 * `leads:1:7`. Writing one checks its fields and unique values, and derives its columns and sums, like any other write.
 */
export function tableDriver(store: Store, all: readonly Table<never>[]): Driver {
  const tables = new Map(all.map((each) => [sqlName(each), each as unknown as Table<Stored>]));
  const read = async (key: string) => {
    const place = placeIn(tables, key);
    const record = place && (await store.get(place.table, place.account_id, ...place.key));
    return record && JSON.stringify(record);
  };
  return {
    name: "tidemark",
    hasItem: async (key) => (await read(key)) !== null,
    getItem: read,
    async setItem(key, value) {
      const place = placeIn(tables, key);
      if (place === null)
        throw new Failure("invalid", `${key} is not TABLE:ACCOUNT:KEY with a table of the store`);
      await write(store, place, value);
    },
    async removeItem(key) {
      const place = placeIn(tables, key);
      if (place === null) return;
      await store.transact((tx) => tx.remove(place.table, place.account_id, ...place.key));
    },
    async getKeys(base = "") {
      const [name = "", account = ""] = base.split(":");
      const found: string[] = [];
      for (const [sql, table] of tables) {
        if (name !== "" && name !== sql) continue;
        const query = store
          .query<Named>()
          .selectFrom(sql)
          .select(["account_id", ...table.key]);
        const rows = await store.rows(
          account === "" ? query : query.where("account_id", "=", numberIn(account) ?? -1),
        );
        for (const row of rows)
          found.push(keyIn(sql, [row["account_id"], ...table.key.map((each) => row[each])] as Key));
      }
      return found;
    },
    clear() {
      throw new Failure("refused", "Whole tables can't be cleared: remove each record that has to go");
    },
    dispose: store.close,
  };
}

interface Place {
  sql: string;
  table: Table<Stored>;
  account_id: number;
  key: Key;
}

async function write(store: Store, { sql, table, account_id, key }: Place, value: string): Promise<void> {
  const record = recordIn(sql, table, value);
  const [here, own] = [
    keyIn(sql, [account_id, ...key]),
    keyIn(sql, [record.account_id, ...keyOf(table, record)]),
  ];
  if (own !== here) throw new Failure("invalid", `The record belongs under ${own}, not under ${here}`);
  try {
    requireDerived(table, record);
    await store.transact(async (tx) => {
      // Servers reserve blocks of ids, so one that was made up would be another record's soon.
      if (hasGivenIds(table) && (await tx.get(table, account_id, ...key)) === null)
        throw new Failure(
          "not_found",
          `${own} was not found: new ${sql} get their ids from the server, so make them over its API`,
        );
      await tx.put(table, record);
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // What is derived from a document relies on its form.
    throw Object.assign(
      new Failure("invalid", `A document in ${own} does not have the form that the server expects`),
      {
        cause: error,
      },
    );
  }
}

function hasGivenIds({ key, columns }: Table<Stored>): boolean {
  return key.length === 1 && key[0] === "id" && columns["id"] === "integer";
}

/** @throws Failure `invalid` for what is not a record of the table */
function recordIn(sql: string, table: Table<Stored>, text: string): Stored {
  const record = parsed(text);
  if (record === null) throw new Failure("invalid", `A record of ${sql} must be an object with its fields`);
  const known = new Set(["account_id", ...Object.keys(table.fields)]);
  const faults = [
    ...Object.keys(record)
      .filter((name) => !known.has(name))
      .map((name) => `${name} is not a field`),
    ...[...wrongFields(table, record), ...wrongTimes(table, record), ...tooLarge(record)].map(
      (name) => `${name} must be ${wanted(table.fields[name])}`,
    ),
  ];
  if (faults.length > 0) throw new Failure("invalid", `The record does not fit ${sql}: ${faults.join(", ")}`);
  return whole(table, record);
}

/** The record as the server writes it: what it lacks is null, unless the field is optional. */
function whole({ fields }: Table<Stored>, record: Stored): Stored {
  const given = record as Stored & Record<string, unknown>;
  const values = Object.entries(fields).map(([name, { isOptional }]) => ({
    name,
    isOptional,
    value: given[name] ?? null,
  }));
  const kept = values.filter(({ value, isOptional }) => value !== null || !isOptional);
  return {
    account_id: record.account_id,
    ...Object.fromEntries(kept.map(({ name, value }) => [name, value])),
  };
}

/** Sums of larger numbers could not be exact. */
const LARGEST = 999_999_999_999;

function tooLarge(record: object): string[] {
  const numbers = Object.entries(record).filter(([, value]) => typeof value === "number");
  return numbers.filter(([, value]) => Math.abs(value) > LARGEST).map(([name]) => name);
}

/** @throws TypeError if a column can't be derived from a document */
function requireDerived({ derived }: Table<Stored>, record: Stored): void {
  for (const [name, [type, of]] of Object.entries(derived)) {
    const value: unknown = of(record) ?? null;
    if (value !== null && !HOLDS[type](value)) throw new TypeError(`${name} is no ${type}`);
  }
}

const HOLDS: Record<Derived<never>[0], (value: unknown) => boolean> = {
  text: (value) => typeof value === "string",
  integer: (value) => Number.isSafeInteger(value),
  flag: (value) => typeof value === "boolean",
  time: (value) => typeof value === "string" && isInstant(value),
};

/** The names of times in another form than the server's. Some of them would be other instants on Postgres. */
function wrongTimes({ fields }: Table<Stored>, record: object): string[] {
  const texts = Object.entries(record).filter(([name, value]) => {
    return Object.hasOwn(fields, name) && fields[name]!.type === "time" && typeof value === "string";
  });
  return texts.filter(([, value]) => new Date(value).toJSON() !== value).map(([name]) => name);
}

function parsed(text: string): Stored | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Stored) : null;
  } catch {
    return null;
  }
}

const WANTED: Record<Field<unknown>["type"], string> = {
  integer: "a whole number of at most 12 digits",
  flag: "true or false",
  text: "a text",
  time: "an instant such as 2026-03-04T05:06:07.890Z",
  json: "an object or a list",
};

/** What a field, or the account's id, holds. */
function wanted({ type, isNullable, isOptional }: Partial<Field<unknown>> = { type: "integer" }): string {
  return `${WANTED[type!]}${isNullable || isOptional ? " or null" : ""}`;
}

/** unstorage rewrites some characters of keys, so each part is encoded. */
function keyIn(sql: string, parts: Key): string {
  return [sql, ...parts].map(encodePart).join(":");
}

function encodePart(part: KeyPart): string {
  return encodeURIComponent(part).replaceAll("..", "%2E%2E").replace(/^\.$/, "%2E");
}

/** The record that an unstorage key names, or null if the key is malformed. */
function placeIn(tables: ReadonlyMap<string, Table<Stored>>, text: string): Place | null {
  const [sql = "", account = "", ...parts] = text.split(":").map(decoded);
  const table = tables.get(sql);
  if (table === undefined || parts.length !== table.key.length) return null;
  const key = parts.map((part, at) => (table.columns[table.key[at]!] === "integer" ? numberIn(part) : part));
  const account_id = numberIn(account);
  return account_id === null || key.includes(null) ? null : { sql, table, account_id, key: key as Key };
}

function numberIn(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return ""; // nothing of ours is written like that
  }
}
