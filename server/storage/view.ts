import { setImmediate as othersTurn } from "node:timers/promises";
import type { Compilable, Kysely } from "kysely";
import { NO_SEAL, type Seal } from "../seal.ts";
import { builderOf, recordIn, statementOf } from "./query.ts";
import { openRow } from "./sealed.ts";
import type { MaybePromise, Reads, Values } from "./session.ts";
import { countStatement, listStatement, type Between, type Listing } from "./sql.ts";
import type { SumTable } from "./sums.ts";
import type { ColumnValue, Key, Table } from "./table.ts";

/** Reads records: from a store or within a transaction. */
export interface Reader {
  /** The record with this id, or null. */
  get<R>(from: Table<R>, accountId: number, ...id: Key): Promise<R | null>;
  /** The record that has these unique values, or null. */
  find<R, Unique extends string>(
    from: Table<R, Unique>,
    unique: Unique,
    accountId: number,
    values: Key,
  ): Promise<R | null>;
}

/** A page of an ordered listing. */
export interface Page {
  limit: number;
  offset?: number;
  reverse?: boolean;
  between?: Between | undefined;
}

/** Reads records and lists. A store is a view, and a transaction has one that includes its own writes. */
export interface View extends Reader {
  /** A page of the records whose first columns of an index, or of the key, equal `start`, in that order. */
  page<R, Listed extends string>(
    from: Table<R, string, Listed>,
    index: Listed | "id",
    accountId: number,
    start: Key,
    page: Page,
  ): Promise<R[]>;
  /** All records of a listing, in the order of `page`, in chunks that let other requests run in between. */
  scan<R, Listed extends string>(
    from: Table<R, string, Listed>,
    ...listing: [index: Listed | "id", accountId: number, start: Key, between?: Between]
  ): AsyncGenerator<R[]>;
  /** All records of a listing that is known to be short. */
  list<R, Listed extends string>(
    from: Table<R, string, Listed>,
    ...listing: [index: Listed | "id", accountId: number, start: Key]
  ): Promise<R[]>;
  /** The number of records in a listing. */
  count<R, Listed extends string>(
    from: Table<R, string, Listed>,
    index: Listed | "id",
    accountId: number,
    start: Key,
    between?: Between,
  ): Promise<number>;
  /** The sums over the rows of a table of sums whose keys begin with these values, in the order of its sums. */
  total(of: SumTable, accountId: number, ...start: Key): Promise<number[]>;
  /** Begins a query over some tables. @example store.query<Schema<{ leads: typeof leads }>>() */
  query<S>(): Kysely<S>;
  /** The rows that a query selects. */
  rows<O>(query: Compilable<O>): Promise<O[]>;
  /** The record in a row of a query that has selected `allOf` its table, or null if there is none. */
  record<R>(from: Table<R>, row: object, as?: string): R | null;
}

/** Records to read before other requests get their turn: a few milliseconds' worth. */
const CHUNK = 1_000;

/** Makes a view of what `reads` sees. `seal` opens secrets. */
export function newView(reads: Reads, seal: Seal = NO_SEAL): View {
  const open = <R>(from: Table<R>, row: Values) => openRow(from, row, seal);
  const view: View = {
    async get<R>(from: Table<R>, accountId: number, ...id: Key) {
      return opened<R>(from, reads.get(from, accountId, id), seal);
    },
    async find<R>(from: Table<R>, unique: string, accountId: number, values: Key) {
      return opened<R>(from, reads.find(from, unique, accountId, values), seal);
    },
    async page(from, index, accountId, start, { between, ...page }) {
      const rows = await reads.all(
        listStatement(from, { index, account_id: accountId, start, between }, page, reads.dialect),
      );
      return rows.map((row) => open(from, row));
    },
    async *scan<R, Listed extends string>(
      from: Table<R, string, Listed>,
      ...[index, accountId, start, between]: [Listed | "id", number, Key, Between?]
    ) {
      const listing: Listing = { index, account_id: accountId, start, between };
      let after: ColumnValue[] | undefined;
      for (;;) {
        const rows = await reads.all(listStatement(from, listing, { limit: CHUNK, after }, reads.dialect));
        yield rows.map((row) => open(from, row));
        if (rows.length < CHUNK) return;
        after = rows.at(-1)!.slice(from.names.length);
        await othersTurn();
      }
    },
    async list<R, Listed extends string>(
      from: Table<R, string, Listed>,
      ...listing: [Listed | "id", number, Key]
    ) {
      const [index, accountId, start] = listing;
      const first = await view.page(from, index, accountId, start, { limit: CHUNK });
      if (first.length < CHUNK) return first;
      const found: R[] = [];
      for await (const chunk of view.scan(from, ...listing)) found.push(...chunk);
      return found;
    },
    async count(from, index, accountId, start, between) {
      const [row] = await reads.all(
        countStatement(from, { index, account_id: accountId, start, between }, reads.dialect),
      );
      return Number(row?.[0]);
    },
    total: async (of, accountId, ...start) => reads.total(of, accountId, start),
    query: <S>() => builderOf<S>(reads.dialect),
    rows: async <O>(query: Compilable<O>) => (await reads.ask(statementOf(query))) as O[],
    record(from, row, as) {
      const values = recordIn(from, row, as);
      return values && open(from, values);
    },
  };
  return view;
}

/** SQLite answers synchronously. Awaiting its answers would cost as much as the read itself. */
export function opened<R>(
  from: Table<R>,
  found: MaybePromise<Values | null>,
  seal: Seal,
): MaybePromise<R | null> {
  if (found instanceof Promise) return found.then((row) => row && openRow<R>(from, row, seal));
  return found && openRow<R>(from, found, seal);
}
