import { postgresEngine } from "../../server/storage/engines/postgres/engine.ts";
import { freezes } from "../../server/storage/freeze.ts";
import type { EngineOptions } from "../../server/storage/open.ts";
import { newStore, type Store, type View } from "../../server/storage/store.ts";
import { integer, table, text, type RowOf } from "../../server/storage/table.ts";

const fields = {
  id: integer(),
  /** Empty: it has none. */
  name: text(),
  count: integer(),
};

/** A made-up record for tests of engines. */
export type Thing = RowOf<typeof fields>;

const totals = { name: "thing_totals", by: { kind: "text" }, sums: ["total"] } as const;

export const things = table("thing", fields, {
  derived: {
    name_key: ["text", ({ name }) => name || null],
  },
  unique: { name: ["name_key"] },
  indexes: { count: { on: ["count"] } },
  sums: { into: totals, sharesOf: ({ count }) => [{ key: ["all"], amounts: [count] }] },
});

/** The tables of a store of things. */
export const THING_TABLES = [things, freezes];

export function thing(id: number, name = `thing ${id}`, count = 1): Thing {
  return { account_id: 1, id, name, count };
}

/** Opens a store of things on Postgres. */
export async function openThings(url: string, options: Partial<EngineOptions> = {}): Promise<Store> {
  return newStore(await postgresEngine(url, { tables: THING_TABLES, ...options }));
}

/** The sum of an account's counts, as the engine keeps it. */
export async function totalOf(view: View, accountId = 1): Promise<number> {
  const rows = await view.rows(
    view
      .query<{ thing_totals: { account_id: number; total: number } }>()
      .selectFrom("thing_totals")
      .where("account_id", "=", accountId)
      .select("total"),
  );
  return Number(rows[0]?.total ?? 0);
}

/** The names of all things, in the order of their ids. */
export async function thingNames(store: Store): Promise<string[]> {
  return (await store.page(things, "id", 1, [], { limit: 10_000 })).map(({ name }) => name);
}
