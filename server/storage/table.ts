import type { Summing } from "./sums.ts";
import { Failure } from "../failure.ts";

/** What a column may hold. Booleans are 0 and 1. */
export type ColumnValue = string | number | null;
export type ColumnType = "text" | "integer";

/**
 * A column that is derived from the record when it is written. A plain type means the field of the same name. Dates
 * keep the record's format, ISO 8601 in UTC, which sorts as text.
 */
export type Column<R> =
  | ColumnType
  | readonly [type: ColumnType, of: (record: R) => string | number | boolean | null | undefined];

type Columns<R> = Record<string, Column<R>>;

/** An order for lists. Equal values follow the order of the table's key. */
export interface Index<Name extends string = string> {
  on: readonly Name[];
  /** Restricts the index to some records, by an SQL condition that both engines understand. Absent: all. */
  where?: string;
  /**
   * Further columns, so that queries can read the index alone. Only SQLite gets them: Postgres scans whole
   * tables quickly and limits the length of index entries.
   */
  covers?: readonly Name[];
}

/** A part of a record's key. */
export type KeyPart = string | number;
export type Key = readonly KeyPart[];

/**
 * The fields of a table that are stored encrypted. The document has them as null, and `sealed`, a text that only the keys
 * of `TIDEMARK_SECRET_FILE` open. The domain sees plain records. No column, unique value or sum may be derived from
 * them.
 */
export interface SealedFields<R> {
  fields: readonly (keyof R & string)[];
  /** Further values that the sealed text belongs to, besides account and key. Absent: none. */
  boundTo?: (record: R) => readonly KeyPart[];
  /** Whether a record has something to hide. The others are stored as they are. */
  isSecret: (record: R) => boolean;
  /** The record without what it hides, for exports. */
  without: (record: R) => object;
}

/** Declares a kind of record in one place: its table, its key, its unique values and its orders. */
export interface Table<
  R,
  Unique extends string = string,
  Listed extends string = string,
  C extends Columns<R> = Columns<R>,
> {
  /** The noun, for exports and messages: `promoter-campaign`. */
  name: string;
  /** The columns that identify a record within its account. Absent: `id`. */
  key: readonly string[];
  columns: C;
  /** Columns with few different values. An index on one of them alone leaves many records to read. */
  few: readonly string[];
  /** Columns whose values are unique within an account. A record with a null among them is never refused. */
  unique: Record<Unique, readonly string[]>;
  indexes: Record<Listed, Index>;
  /** The record's contribution to a table of sums, written in the same commit. */
  sums?: Summing<R> | undefined;
  /** The account that a record belongs to, for tables such as API keys whose rows have the account 0. */
  owner?: ((record: R) => number) | undefined;
  sealed?: SealedFields<R> | undefined;
}

/** A row of a table in queries. */
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
  sealed?: SealedFields<R>;
}

/** Declares a table. It is called twice so that TypeScript infers the names of columns and indexes. */
export function table<R extends { account_id: number }>() {
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

/** The account that a record belongs to, or 0 for the whole server. */
export function ownerOf<R extends { account_id: number }>(from: Table<R>, record: R): number {
  return from.owner?.(record) ?? record.account_id;
}

/** SQLite's code for a damaged file, so that the engine treats damaged values alike. */
const CORRUPT = 11;

/**
 * Parses a stored document.
 *
 * @throws Failure `unavailable` if it is damaged
 */
export function parseStored<T>(kind: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    const why = `A stored ${kind} is damaged: look at the store with \`tidemark check\`, and restore a backup`;
    const failure = new Failure("unavailable", "The store is damaged; try again later");
    failure.cause = Object.assign(new Error(why), { errcode: CORRUPT });
    throw failure;
  }
}

/** Every request reads the same few accounts, keys and campaigns, so each text is parsed only once. */
const parsed = new Map<string, unknown>();
const MAX_PARSED = 1_000;
const MAX_PARSED_LENGTH = 4_096;

/**
 * Parses a document. The result is frozen, because all readers of the same text share it.
 *
 * @throws Error for tables with sealed fields, whose documents a view parses
 */
export function parse<R>(from: Table<R>, doc: string): R {
  if (from.sealed !== undefined)
    throw new Error(`A ${from.name} is parsed by a view, which opens its secrets`);
  return parseRaw(from, doc);
}

/** Parses a document, and leaves its secrets sealed. */
export function parseRaw<R>(from: Table<R>, doc: string): R {
  const known = parsed.get(doc);
  if (known !== undefined) return known as R;
  const value = freeze(parseStored<R>(from.name, doc));
  if (doc.length > MAX_PARSED_LENGTH) return value;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(doc, value);
  return value;
}

/** Makes a value and its parts read-only. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) if (typeof part === "object") freeze(part);
  return Object.freeze(value);
}
