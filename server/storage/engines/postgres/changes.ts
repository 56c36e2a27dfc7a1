import type { Addition } from "../../sums.ts";
import type { ColumnValue, Key, Table } from "../../table.ts";

/** The row whose columns have these values. */
export interface Wanted {
  from: Table<never>;
  by: readonly string[];
  accountId: number;
  values: Key;
}

/** A wanted row, and the version that it had. null: there was no such row. */
export interface Seen extends Wanted {
  version: number | null;
}

/** A row to write, which is found by its key. */
export interface WrittenRow extends Seen {
  name: string;
  /** null: it is removed. */
  row: readonly ColumnValue[] | null;
  /** The names of the unique values that it has then. */
  claims: readonly string[];
  /** Those among them that it has already. */
  kept: ReadonlySet<string>;
}

/** What transactions want to commit. */
export interface Changes {
  /** What they have read and don't write, by its name. */
  seen: ReadonlyMap<string, Seen>;
  written: readonly WrittenRow[];
  additions: readonly Addition[];
}

/** The name of a record (`unique`: ""), or of one of its unique values. */
export function nameOf({ name }: Table<never>, unique: string, accountId: number, values: Key): string {
  return `${name}/${unique} ${accountId} ${JSON.stringify(values)}`;
}

/** The records and unique values that are not as before. */
export function namesWritten({ written }: Changes): string[] {
  return written.flatMap(({ name, claims, kept }) => [name, ...claims.filter((claim) => !kept.has(claim))]);
}

/** Whether changes depend on records or unique values that others write. */
export function dependOn(changes: Changes, names: ReadonlySet<string>): boolean {
  for (const name of changes.seen.keys()) if (names.has(name)) return true;
  return namesWritten(changes).some((name) => names.has(name));
}

/** The changes of transactions that don't depend on each other. */
export function merged(all: readonly Changes[]): Changes {
  return {
    seen: new Map(all.flatMap(({ seen }) => [...seen])),
    written: all.flatMap(({ written }) => written),
    additions: all.flatMap(({ additions }) => additions),
  };
}
