import type { Summing } from "./sums.ts";

/** What a column may hold. Booleans are 0 and 1. */
export type ColumnValue = string | number | null;
export type ColumnType = "text" | "integer";

/**
 * A column that is made from the record when it is written. A plain type means the field of the same name, so
 * `promoter_id: "integer"` holds `promoterId`. Dates stay as the record has them: ISO 8601 in UTC, which sorts as text.
 */
export type Column<R> =
  | ColumnType
  | readonly [type: ColumnType, of: (record: R) => string | number | boolean | null | undefined];

type Columns<R> = Record<string, Column<R>>;

/** An order to list by. Equal values are in the order of the table's key. */
export interface Index<Name extends string = string> {
  on: readonly Name[];
  /** Only these records, as an SQL condition that both engines understand. Absent: all. */
  where?: string;
  /**
   * Further columns, which questions then read from the index alone. Only SQLite has such an index: Postgres scans whole
   * tables quickly, and limits the length of an entry.
   */
  covers?: readonly Name[];
}

/** A part of a record's key. */
export type KeyPart = string | number;
export type Key = readonly KeyPart[];

/** Declares a kind of record once: its table, how it is found, which values are unique and how it is listed. */
export interface Table<
  R,
  Unique extends string = string,
  Listed extends string = string,
  C extends Columns<R> = Columns<R>,
> {
  /** The noun, which exports and messages use: `promoter-campaign`. */
  name: string;
  /** The columns that identify a record within its account. Absent: `id`. */
  key: readonly string[];
  columns: C;
  /** Columns with few different values, so that an index on one of them alone leaves many records to read. */
  few: readonly string[];
  /** Columns whose values no two records of an account share. A record with a null among them is never refused. */
  unique: Record<Unique, readonly string[]>;
  indexes: Record<Listed, Index>;
  /** What a record adds to a table of sums, in the same commit. */
  sums?: Summing<R> | undefined;
  /** For records that have the account 0 in their rows, such as API keys: the account that each belongs to. */
  owner?: ((record: R) => number) | undefined;
}

/** A row of a table, as questions see it. */
export type Row<T extends Pick<Table<never>, "columns">> = { account_id: number; doc: string } & {
  [Name in keyof T["columns"]]: T["columns"][Name] extends "integer" | readonly ["integer", unknown]
    ? number | null
    : string | null;
};

interface Definition<R, C extends Columns<R>, Unique extends string, Listed extends string> {
  name: string;
  key?: readonly (keyof C & string)[];
  columns: C;
  few?: readonly (keyof C & string)[];
  unique?: Record<Unique, readonly (keyof C & string)[]>;
  indexes?: Record<Listed, Index<keyof C & string>>;
  sums?: Summing<R>;
  owner?: (record: R) => number;
}

/** Declares a table. It is called twice so that TypeScript infers the names of columns and indexes. */
export function table<R extends { accountId: number }>() {
  return <const C extends Columns<R>, Unique extends string = never, Listed extends string = never>({
    key = ["id"],
    few = [],
    unique = {} as Record<Unique, readonly (keyof C & string)[]>,
    indexes = {} as Record<Listed, Index<keyof C & string>>,
    ...rest
  }: Definition<R, C, Unique, Listed>): Table<R, Unique, Listed, C> => ({
    key,
    few,
    unique,
    indexes,
    ...rest,
  });
}

/** The account that a record belongs to. 0: it belongs to the whole server. */
export function ownerOf<R extends { accountId: number }>(from: Table<R>, record: R): number {
  return from.owner?.(record) ?? record.accountId;
}
