import type { AnyRecord, AnyTable } from "../../tables.ts";
import type { Table } from "../../storage/table.ts";

/**
 * A numbered change of stores that have tables. Nobody uses the store meanwhile, so `OLDEST_SERVED` is its layout, or a later
 * one. It is kept as long as stores and exports of the layout before it can be upgraded.
 *
 * @see docs/ARCHITECTURE.md "Changing the layout"
 */
export interface Migration {
  /** The layout that it makes of the one before. */
  layout: number;
  /** The tables that have other columns, indexes or records since then. Their rows and indexes are made anew. */
  remade: readonly Remade[];
}

/** A table whose rows are made anew. */
export interface Remade {
  table: AnyTable;
  /** Makes a record of this layout of one of the layout before. Its key stays. */
  change: (record: never) => unknown;
}

/** All of them, the oldest first. */
export const MIGRATIONS: readonly Migration[] = [];

/** Says that a table has other columns or indexes since a layout, and, if so, how its records have changed. */
export function remade<R extends AnyRecord, Former = R>(
  table: Table<R>,
  change: (record: Former) => unknown = (record) => record,
): Remade {
  return { table: table as unknown as AnyTable, change };
}

/** The tables that migrations of a store make anew, with all changes of their records since its layout. */
export function remadeSince(layout: number, migrations: readonly Migration[]): Remade[] {
  const found = new Map<string, Remade>();
  for (const { table, change } of migrations
    .filter((each) => each.layout > layout)
    .flatMap(({ remade }) => remade)) {
    const before = found.get(table.name)?.change ?? ((record) => record);
    found.set(table.name, { table, change: (record) => change(before(record) as never) });
  }
  return [...found.values()];
}
