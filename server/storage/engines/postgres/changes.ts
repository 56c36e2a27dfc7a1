import type { Addition } from "../../sums.ts";
import type { ColumnValue, Key, Table } from "../../table.ts";

/** The row whose columns have these values. */
export interface Wanted {
  from: Table<never>;
  by: readonly string[];
  accountId: number;
  values: Key;
}

/** A wanted row and the version that it had, or null if it did not exist. */
export interface Seen extends Wanted {
  version: number | null;
}

/** A row to write, found by its key. */
export interface WrittenRow extends Seen {
  name: string;
  /** The new values, or null to remove the row. */
  row: readonly ColumnValue[] | null;
  /** The names of its unique values after the write. */
  claims: readonly string[];
  /** Those of them that it has already. */
  kept: ReadonlySet<string>;
}

/** The changes that transactions want to commit. */
export interface Changes {
  /** The rows that they have read but don't write, by name. */
  seen: ReadonlyMap<string, Seen>;
  written: readonly WrittenRow[];
  additions: readonly Addition[];
}

/** The name of a record (`unique`: ""), or of one of its unique values. */
export function nameOf({ name }: Table<never>, unique: string, accountId: number, values: Key): string {
  return `${name}/${unique} ${accountId} ${JSON.stringify(values)}`;
}

/** The names of the records and unique values that change. */
export function namesWritten({ written }: Changes): string[] {
  return written.flatMap(({ name, claims, kept }) => [name, ...claims.filter((claim) => !kept.has(claim))]);
}

/** Whether changes depend on records or unique values that others write. */
export function dependOn(changes: Changes, names: ReadonlySet<string>): boolean {
  for (const name of changes.seen.keys()) if (names.has(name)) return true;
  return namesWritten(changes).some((name) => names.has(name));
}

/** Merges the changes of transactions that don't depend on each other. */
export function merged(all: readonly Changes[]): Changes {
  return {
    seen: new Map(all.flatMap(({ seen }) => [...seen])),
    written: all.flatMap(({ written }) => written),
    additions: all.flatMap(({ additions }) => additions),
  };
}
