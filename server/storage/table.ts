import type { Summing } from "./sums.ts";
import { Failure } from "../failure.ts";

/** What rows and queries hold, on both engines: flags are 0 and 1, times are ISO 8601 in UTC, and documents are JSON. */
export type ColumnValue = string | number | null;
/** The kinds of columns. Each engine has its own type for them (`Dialect.types`). */
export type ColumnType = "text" | "integer" | "flag" | "time" | "json";

/** How a field's value is protected. A field may have several marks. */
export interface Marks {
  /** Says something of the promoter or the lead that the record is about. An erasure replaces it by `blank`. */
  isPersonal?: true;
  blank?: unknown;
  /** A credential, its digest, or a bank account. The audit log only says that it changed. */
  isSecret?: true;
  /** Is stored encrypted. The audit log treats it like a secret. @see SealedFields */
  isSealed?: true;
}

interface Kind<IsOptional extends boolean> extends Marks {
  type: ColumnType;
  /** Whether it may be null. */
  isNullable: boolean;
  /** Whether a record without a value has no such field. Otherwise the field is null. */
  isOptional: IsOptional;
}

/** A field of a record. It is a column of the same name. */
export interface Field<T, IsOptional extends boolean = boolean> extends Kind<IsOptional> {
  nullable(): Field<T | null, IsOptional>;
  optional(): Field<T, true>;
  /** `blank` is what an erasure leaves, or makes of the value. Absent: null, no field, or an empty text. */
  personal(blank?: T | Blank<T>["of"]): Field<T, IsOptional>;
  secret(): Field<T, IsOptional>;
  sealed(): Field<T, IsOptional>;
  /** Only for the compiler. */
  holds?: T;
}

/** A method, so that fields of all types are fields of unknown ones. */
interface Blank<T> {
  of(value: NonNullable<T>): T;
}

function field<T, IsOptional extends boolean>(kind: Kind<IsOptional>): Field<T, IsOptional> {
  return {
    ...kind,
    nullable: () => field<T | null, IsOptional>({ ...kind, isNullable: true }),
    optional: () => field<T, true>({ ...kind, isOptional: true }),
    personal: (blank) => field({ ...kind, isPersonal: true, blank }),
    secret: () => field({ ...kind, isSecret: true }),
    sealed: () => field({ ...kind, isSealed: true }),
  };
}

const required = (type: Kind<false>["type"]): Kind<false> => ({ type, isNullable: false, isOptional: false });

/** A text, or one of some words. */
export const text = <T extends string = string>() => field<T, false>(required("text"));
/** A whole number. */
export const integer = <T extends number = number>() => field<T, false>(required("integer"));
export const flag = () => field<boolean, false>(required("flag"));
/** An instant in UTC with milliseconds, such as `2026-03-04T05:06:07.890Z` (`isInstant`). It sorts as text. */
export const time = () => field<string, false>(required("time"));
/** A document, which is read and written as a whole. */
export const json = <T>() => field<T, false>(required("json"));

/** The fields of a table, besides `account_id`. */
export type Fields = Record<string, Field<unknown>>;

/** A record of a table. */
export type RowOf<F> = Flat<
  { account_id: number } & {
    [Name in keyof F as F[Name] extends Field<unknown, true> ? never : Name]: Held<F[Name]>;
  } & { [Name in keyof F as F[Name] extends Field<unknown, true> ? Name : never]?: Held<F[Name]> }
>;
type Held<F> = F extends Field<infer T> ? T : never;
type Flat<T> = { [Name in keyof T]: T[Name] };

/** A column that is computed from the record when it is written, for lists and queries. */
export type Derived<R> = readonly [
  type: Exclude<ColumnType, "json">,
  of: (record: R) => string | number | boolean | null | undefined,
];

type ColumnTypes = Record<string, ColumnType>;
type ColumnsOf<F, D> = { [Name in keyof F]: ColumnOf<NonNullable<Held<F[Name]>>> } & {
  [Name in keyof D]: D[Name] extends readonly [infer Type extends ColumnType, unknown] ? Type : never;
};
type ColumnOf<T> = T extends number ? "integer" : T extends boolean ? "flag" : "text" | "time" | "json";

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
 * How the fields that are marked `sealed` are stored encrypted. Their columns are null, and a column `sealed` has a text that only
 * the keys of `TIDEMARK_SECRET_FILE` open. The domain sees plain records. No column, unique value or sum may be derived from
 * them.
 */
export interface SealedFields<R> {
  /** Further values that the sealed text belongs to, besides account and key. Absent: none. */
  boundTo?: (record: R) => readonly KeyPart[];
  /** Whether a record has something to hide. The others are stored as they are. */
  isSecret: (record: R) => boolean;
  /** The record without what it hides, for exports. */
  without: (record: R) => object;
}

/** A kind of record: its columns, its key, its unique values and its orders. */
export interface Table<
  R,
  Unique extends string = string,
  Listed extends string = string,
  C extends ColumnTypes = ColumnTypes,
> {
  /** The noun, for exports and messages: `promoter-campaign`. */
  name: string;
  /** The columns that identify a record within its account. */
  key: readonly string[];
  fields: Fields;
  derived: Record<string, Derived<R>>;
  /** All columns besides `account_id`: the fields, what is derived, and `sealed` if there are sealed fields. */
  columns: C;
  /** The names of all columns, in the order of a row's values. */
  names: readonly string[];
  /** The same for statements. */
  selected: string;
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
export type Row<T extends Pick<Table<never>, "columns">> = { account_id: number } & {
  [Name in keyof T["columns"]]: T["columns"][Name] extends "integer" | "flag" ? number | null : string | null;
};

interface Definition<F, D, Unique extends string, Listed extends string> {
  /** Absent: `id`. */
  key?: readonly (keyof (F & D) & string)[];
  derived?: D;
  few?: readonly (keyof (F & D) & string)[];
  unique?: Record<Unique, readonly (keyof (F & D) & string)[]>;
  indexes?: Record<Listed, Index<keyof (F & D) & string>>;
  sums?: Summing<RowOf<F>>;
  owner?: (record: RowOf<F>) => number;
  sealed?: SealedFields<RowOf<F>>;
}

/** Declares a table. */
export function table<
  F extends Fields,
  const D extends Record<string, Derived<RowOf<F>>> = Record<never, never>,
  Unique extends string = never,
  Listed extends string = never,
>(
  name: string,
  fields: F,
  { key = ["id"], derived, few = [], unique, indexes, ...rest }: Definition<F, D, Unique, Listed> = {},
): Table<RowOf<F>, Unique, Listed, ColumnsOf<F, D>> {
  const columns: ColumnTypes = {};
  for (const [column, { type }] of Object.entries<Field<unknown>>(fields)) columns[column] = type;
  for (const [column, [type]] of Object.entries<Derived<never>>(derived ?? {})) columns[column] = type;
  if (rest.sealed !== undefined) columns["sealed"] = "text";
  const names = ["account_id", ...Object.keys(columns)];
  return {
    name,
    key,
    fields,
    derived: derived ?? {},
    columns: columns as ColumnsOf<F, D>,
    names,
    selected: quoted(names).join(", "),
    few,
    unique: unique ?? ({} as Record<Unique, readonly string[]>),
    indexes: indexes ?? ({} as Record<Listed, Index>),
    ...rest,
  };
}

/** Names of columns for a statement. Some are words of SQL, such as `order`. */
export function quoted(names: readonly string[]): string[] {
  return names.map((name) => `"${name}"`);
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

/** Makes a value and its parts read-only. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) if (typeof part === "object") freeze(part);
  return Object.freeze(value);
}
