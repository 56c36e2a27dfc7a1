import { mentions, type Dialect, type Statement } from "./sql.ts";
import type { ColumnType, ColumnValue, Key, KeyPart, Table } from "./table.ts";
import type { Reader } from "./view.ts";

/** A table of sums. Only the records that it sums up write to it, in their own transactions. */
export interface SumTable<By extends string = string, Summed extends string = string> {
  /** Its name in SQL. */
  name: string;
  /** The columns to sum by. With the account, they are its key, in this order. */
  by: Record<By, ColumnType>;
  /** The columns that hold sums. */
  sums: readonly Summed[];
}

/**
 * A record's contribution to one row of a table of sums: the values of `by` in order, and an amount for each
 * sum.
 */
export interface Share {
  key: Key;
  amounts: readonly number[];
}

/** The calendar day of an instant. A day stays as it is. */
export type Calendar = (at: string) => string;

/** How the records of a table contribute to a table of sums. */
export interface Summing<R> {
  into: SumTable;
  /** The days of an account. That of a past instant never changes. Absent: the sums are not by day. */
  calendarOf?: (reader: Pick<Reader, "get">, accountId: number) => Promise<Calendar>;
  sharesOf: (record: R, calendar: Calendar) => Share[];
}

/** The calendars of accounts, each read once. */
export interface Calendars {
  /** Null for a table whose records are in no sums. */
  of(table: Pick<Table<never>, "sums">, accountId: number): Promise<Calendar | null>;
}

const unchanged: Calendar = (at) => at;

export function newCalendars(reader: Pick<Reader, "get">): Calendars {
  const known = new Map<number, Calendar>();
  return {
    async of({ sums }, accountId) {
      if (sums === undefined) return null;
      if (sums.calendarOf === undefined) return unchanged;
      const calendar = known.get(accountId) ?? (await sums.calendarOf(reader, accountId));
      known.set(accountId, calendar);
      return calendar;
    },
  };
}

/** An amount to add to one row. */
export interface Addition extends Share {
  into: SumTable;
  account_id: number;
  /** Identifies the row. */
  place: string;
}

/** Collects the contributions of records, so that each row is written once. */
export interface Additions {
  /** Notes a record's contribution after a change, less the one before it. */
  note<R extends { account_id: number }>(
    of: Table<R>,
    change: { before: R | null; after: R | null; calendar: Calendar | null },
  ): void;
  /** Adds contributions that were collected elsewhere. */
  include(others: readonly Addition[]): void;
  /** The sums collected for the rows whose keys begin with these values. */
  totalOf(into: SumTable, accountId: number, start: Key): number[];
  /** Whether a statement reads a table with collected contributions. */
  concern(statement: Statement): boolean;
  /** Returns the contributions and forgets them. The order is always the same, to prevent deadlocks. */
  take(): Addition[];
}

export function newAdditions(): Additions {
  type Collected = Addition & { amounts: number[] };
  let found = new Map<SumTable, Map<string, Collected>>();

  function rowsOf(into: SumTable) {
    let rows = found.get(into);
    if (rows === undefined) found.set(into, (rows = new Map()));
    return rows;
  }

  function add(rows: Map<string, Collected>, addition: Addition, sign: number): void {
    const { amounts, place } = addition;
    const known = rows.get(place)?.amounts;
    if (known === undefined)
      rows.set(place, { ...addition, amounts: amounts.map((amount) => sign * amount) });
    else for (let at = 0; at < amounts.length; at++) known[at]! += sign * amounts[at]!;
  }

  return {
    note({ sums }, { before, after, calendar }) {
      const record = after ?? before;
      if (sums === undefined || record === null || calendar === null) return;
      const { into, sharesOf } = sums;
      const { account_id } = record;
      const less = before === null ? [] : sharesOf(before, calendar);
      const more = after === null ? [] : sharesOf(after, calendar);
      // Most changes of a record affect no sum.
      if (areSame(less, more)) return;
      const rows = rowsOf(into);
      for (const [shares, sign] of [
        [less, -1],
        [more, 1],
      ] as const)
        for (const share of shares)
          add(rows, { into, account_id, ...share, place: placeOf(into, account_id, share.key) }, sign);
    },
    include(others) {
      for (const addition of others) add(rowsOf(addition.into), addition, 1);
    },
    totalOf(into, accountId, start) {
      const own = [...rowsOf(into).values()].filter(
        (row) => row.account_id === accountId && start.every((value, at) => row.key[at] === value),
      );
      return addedTo(
        into.sums.map(() => 0),
        own.map(({ amounts }) => amounts),
      );
    },
    concern: ({ text }) => [...found.keys()].some(({ name }) => mentions(text, name)),
    take() {
      const changed = [...found.values()]
        .flatMap((rows) => [...rows.values()])
        .filter(({ amounts }) => amounts.some((amount) => amount !== 0));
      found = new Map();
      return changed.sort((one, other) => (one.place < other.place ? -1 : 1));
    },
  };
}

function areSame(some: readonly Share[], others: readonly Share[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ key, amounts }, at) => {
      const other = others[at]!;
      return haveSame(key, other.key) && haveSame(amounts, other.amounts);
    })
  );
}

function haveSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.every((value, at) => value === others[at]);
}

/** Adds two lists of sums. */
export function addedTo(sums: readonly number[], others: readonly (readonly number[])[]): number[] {
  return sums.map((sum, at) => others.reduce((total, amounts) => total + amounts[at]!, sum));
}

/** Identifies a row. */
export function placeOf({ name }: SumTable, accountId: number, key: readonly ColumnValue[]): string {
  return `${name} ${accountId} ${key.join("\0")}`;
}

/** The tables of sums that some tables add to. */
export function sumTablesOf(tables: readonly Table<never>[]): SumTable[] {
  return [...new Set(tables.flatMap(({ sums }) => sums?.into ?? []))];
}

function columnsOf({ by, sums }: SumTable): string[] {
  return ["account_id", ...Object.keys(by), ...sums];
}

/**
 * The statement that creates a table of sums. `rest` is appended: SQLite keeps the rows in the order of the
 * key.
 */
export function sumDdl({ name, by, sums }: SumTable, dialect: Dialect, rest = ""): string {
  const key = Object.entries<ColumnType>({ account_id: "integer", ...by });
  const columns = [
    ...key.map(([column, type]) => `${column} ${dialect.types[type]} not null`),
    ...sums.map((column) => `${column} ${dialect.types.integer} not null default 0`),
    `primary key (${key.map(([column]) => column).join(", ")})`,
  ];
  return `create table ${name} (${columns.join(", ")})${rest}`;
}

/** The statement that adds to rows of a table of sums. `rows` is the source of its values. */
export function adding(into: SumTable, rows: string): string {
  const { name, by, sums } = into;
  const added = sums.map((column) => `${column} = ${name}.${column} + excluded.${column}`);
  return (
    `insert into ${name} (${columnsOf(into).join(", ")}) ${rows}` +
    ` on conflict (${["account_id", ...Object.keys(by)].join(", ")}) do update set ${added.join(", ")}`
  );
}

/** The values of a row to add, in the order of `adding`. */
export function addedRow({ account_id, key, amounts }: Addition): KeyPart[] {
  return [account_id, ...key, ...amounts];
}

/** The types of these values. */
export function addedTypes({ by, sums }: SumTable): ColumnType[] {
  return ["integer", ...Object.values<ColumnType>(by), ...sums.map(() => "integer" as const)];
}

/** The SQL that selects totals, by the number of values, built once for each table and dialect. */
const totalTexts = new WeakMap<SumTable, Map<Dialect, string[]>>();

/** Selects the sums over the rows of an account whose keys begin with these values. */
export function totalStatement(
  of: SumTable,
  accountId: number,
  { start, dialect }: { start: Key; dialect: Dialect },
): Statement {
  const byDialect = totalTexts.get(of) ?? new Map<Dialect, string[]>();
  totalTexts.set(of, byDialect);
  const texts = byDialect.get(dialect) ?? [];
  byDialect.set(dialect, texts);
  const text = (texts[start.length] ??= totalText(of, start.length, dialect));
  return { text, values: [accountId, ...start] };
}

function totalText({ name, by, sums }: SumTable, valueCount: number, { value }: Dialect): string {
  const keys = ["account_id", ...Object.keys(by)].slice(0, valueCount + 1);
  const isTheirs = keys.map((column, at) => `${column} = ${value(at + 1)}`).join(" and ");
  const totals = sums.map((column) => `coalesce(sum(${column}), 0)`).join(", ");
  return `select ${totals} from ${name} where ${isTheirs}`;
}

/** Selects the rows of an account that are not 0: the values of `by`, then the sums. */
export function sumsOfAccount(
  { name, by, sums }: SumTable,
  accountId: number,
  { value }: Dialect,
): Statement {
  const isNotZero = sums.map((column) => `${column} <> 0`).join(" or ");
  const text =
    `select ${[...Object.keys(by), ...sums].join(", ")} from ${name}` +
    ` where account_id = ${value(1)} and (${isNotZero})`;
  return { text, values: [accountId] };
}
