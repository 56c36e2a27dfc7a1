import { sql, type RawBuilder, type SqlBool } from "kysely";
import { z } from "zod";
import type { Account } from "../domain/program/account/account.ts";
import { dayIn, timeZoneOf } from "../domain/program/account/time-zone.ts";
import { isoRange, type Span } from "../domain/span.ts";
import { field } from "../http/fields.ts";
import { pageParams, setPageHeaders, type PageLengths } from "../http/pages.ts";
import { direction, id, listOf } from "../input/fields.ts";
import { among, findPage, isFlag, isWithin, type Found, type Window } from "../storage/query.ts";
import { sqlName } from "../storage/sql.ts";
import type { View } from "../storage/store.ts";
import type { ColumnType, Table } from "../storage/table.ts";
import { LENGTHS, readListing, type ListRequest } from "./listing.ts";

export type Condition = RawBuilder<SqlBool>;

/** The condition that every record meets. */
export const EVERY: Condition = sql<SqlBool>`1 = 1`;

/** For whom a list is read, when, and by which filters. */
export interface Asking {
  account: Account;
  now: Date;
  /** The calendar day in the account's time zone. */
  today: string;
  /** All filters of the request. Some filters depend on others. */
  filters: Record<string, unknown>;
}

/** How a parameter narrows a list. */
type Narrowing<T> = (wanted: T, asking: Asking) => Condition;

/**
 * A parameter's schema, and the column that it is about, or how it narrows the list. The schema alone: it is about the
 * column of the same name.
 */
type Row<S extends z.ZodType, C> = S | readonly [schema: S, by: C | Narrowing<NonNullable<z.output<S>>>];
type Schemas = Record<string, z.ZodType>;
type Rows<S extends Schemas, C> = { readonly [Name in keyof S]: Row<S[Name], C> };

/** Rows under a name that no column has must say what they are about. Otherwise the compiler shows the sentence. */
type Named<Names, C> = {
  readonly [Name in keyof Names]: Name extends C
    ? unknown
    : readonly unknown[] | `${Name & string} is not a column of the table`;
};

/** The meaning of an order, and its column or expression. The meaning alone: the column has the same name. */
type SortRow<C> = string | readonly [meaning: string, by: C | RawBuilder<unknown>];

/** An order of a list. */
interface Order {
  by: RawBuilder<unknown>;
  isDescending: boolean;
}

/** A page of a list. */
interface Wanted extends Window {
  where: readonly Condition[];
  /** By the first one, then by the next. Ties are sorted by id, in the direction of the first. */
  orders?: readonly Order[];
}

/** A list of records, and what its parameters are. */
export interface List<R> {
  params: z.ZodObject;
  /** The filters alone, for downloads. */
  filters: z.ZodType<Record<string, unknown>>;
  /** The page that a request asks for, of the records that meet the conditions. Sets the page headers. */
  read(request: ListRequest, within?: readonly Condition[]): Promise<R[]>;
  /** What a request's filters demand, for downloads that are read piece by piece. */
  conditions(request: ListRequest): Condition[];
  /** The first records by a request's filters, for downloads. */
  readFirst(request: ListRequest, count: number, within?: readonly Condition[]): Promise<R[]>;
  /** A page of the records that meet all conditions, for callers with other parameters. */
  find(view: View, accountId: number, wanted: Wanted): Promise<Found<R>>;
}

/** The parameter with the ids of the records. */
export const ids = [field(listOf(id).optional(), "Ids of the records.", [17, 18]), "id"] as const;

/** The records of a list before any parameter. */
interface Source<R extends { account_id: number; id: number }> {
  of: Table<R>;
  /** What all records of the list meet. Absent: it has all records of the account. */
  only?: Condition | undefined;
  /** Whether the newest come first unless the request says otherwise. */
  isNewestFirst?: boolean | undefined;
  /** The column that says which are the newest. They come first, also of those that are sorted equally. */
  newestBy?: string | undefined;
  /** The page sizes, if they are not the usual ones. */
  lengths?: PageLengths | undefined;
}

/** Declares a list of a table's records, with a row for each parameter, each filter and each order. */
export function listed<R extends { account_id: number; id: number }, C extends string>(
  of: Table<R> & Columns<C>,
  options: Omit<Source<R>, "of" | "newestBy"> & { newestBy?: NoInfer<C> } = {},
) {
  /** `params`: parameters beside the filters, such as `q`. */
  return <
    P extends Schemas = Record<never, never>,
    F extends Schemas = Record<never, never>,
    S extends Record<string, SortRow<C>> = Record<never, never>,
  >({
    params,
    filters,
    sorting,
  }: {
    params?: Rows<P, C> & Named<NoInfer<P>, C>;
    filters?: Rows<F, C> & Named<NoInfer<F>, C>;
    sorting?: S & Named<NoInfer<S>, C>;
  } = {}): List<R> =>
    listOfRows({ of, ...options }, [
      rowsOf(of, params as Given),
      rowsOf(of, filters as Given),
      ordersOf(of, sorting),
    ]);
}

function listOfRows<R extends { account_id: number; id: number }>(
  source: Source<R>,
  [outer, inner, orders]: readonly [params: Parameters, filters: Parameters, orders: Orders],
): List<R> {
  const { lengths = LENGTHS } = source;
  const filters = groupOf(inner, "Only records that match.");
  const params = z.object({
    ...schemasOf(outer),
    ...(inner.size > 0 && { filters }),
    ...(orders.size > 0 && {
      sorting: groupOf(orders, "Order of the records. Of several, the first counts most."),
    }),
    ...pageParams(lengths).shape,
  });
  const conditionsIn = ({ account, context: { now } }: ListRequest, { filters = {}, ...given }: Values) => {
    const asking = { account, now, today: dayIn(timeZoneOf(account), now), filters };
    // A filter counts more than a parameter of the same name.
    const outside = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in filters)));
    return [...narrowed(outer, outside, asking), ...narrowed(inner, filters, asking)];
  };
  const conditions = (request: ListRequest) => {
    const { params: given } = readListing(request, z.object({ filters }));
    return conditionsIn(request, given);
  };
  return {
    params,
    filters,
    conditions,
    find: (view, accountId, wanted) => find(source, view, { accountId, ...wanted }),
    async read(request, within = []) {
      const { params: values, query, page, window } = readListing(request, params, lengths);
      const { sorting = {}, ...given } = values as Values;
      // The first order in the query counts most.
      const chosen = Object.keys(query["sorting"] ?? {}).filter((name) => orders.has(name));
      const { records, total } = await find(source, request.context.store, {
        accountId: request.account.id,
        where: [...within, ...conditionsIn(request, given)],
        orders: chosen.map((name) => ({ by: orders.get(name)!.by, isDescending: sorting[name] === "desc" })),
        ...window,
      });
      setPageHeaders(request, page, total);
      return records;
    },
    async readFirst(request, count, within = []) {
      const where = [...within, ...conditions(request)];
      const wanted = { accountId: request.account.id, where, limit: count, offset: 0 };
      return (await find(source, request.context.store, wanted)).records;
    },
  };
}

function find<R extends { account_id: number; id: number }>(
  { of, only, isNewestFirst = false, newestBy }: Source<R>,
  view: View,
  { accountId, where, orders = [], ...window }: Wanted & { accountId: number },
): Promise<Found<R>> {
  const newest = newestBy === undefined ? [] : [{ by: sql.ref(columnOf(of, newestBy)), isDescending: true }];
  const sorted = [...orders, ...newest];
  const isDescending = newestBy !== undefined || (orders[0]?.isDescending ?? isNewestFirst);
  const last = { by: sql.ref(columnOf(of, "id")), isDescending };
  const all = view
    .query<Record<string, Record<string, number>>>()
    .selectFrom(sqlName(of))
    .where(columnOf(of, "account_id"), "=", accountId);
  const conditions = only === undefined ? where : [only, ...where];
  const narrowed = conditions.reduce((query, condition) => query.where(condition), all);
  const query = [...sorted, last].reduce(
    (ordered, order) => ordered.orderBy(order.by, order.isDescending ? "desc" : "asc"),
    narrowed,
  );
  return findPage(view, of, { query, ...window });
}

/** The rows of a list's parameters. */
type Given = Readonly<Record<string, Row<z.ZodType, string>>> | undefined;

/** The values of a request's parameters. */
interface Values extends Record<string, unknown> {
  filters?: Record<string, unknown>;
  sorting?: Record<string, "asc" | "desc">;
}

/** A table and the names of its columns. */
type Columns<C extends string> = Pick<Table<never>, "name" | "names"> & {
  columns: Record<C, ColumnType>;
};

/** Whether a column has a value, one of some values, or a value within a range, as the type of a filter says. */
function is(of: Columns<string>, name: string): (wanted: unknown) => Condition {
  const column = columnOf(of, name);
  const isTime = of.columns[name] === "time";
  return (wanted) => {
    if (Array.isArray(wanted)) return among(column, wanted);
    if (typeof wanted === "boolean") return isFlag(column, wanted);
    if (typeof wanted === "string" || typeof wanted === "number")
      return sql<SqlBool>`${sql.ref(column)} = ${wanted}`;
    // Anything else would be an open range, and select everything.
    if (!isSpan(wanted)) throw new Error(`${column} can't be compared with ${String(wanted)}`);
    return isWithin(column, isTime ? isoRange(wanted) : wanted);
  };
}

function isSpan(wanted: unknown): wanted is Span {
  return typeof wanted === "object" && wanted !== null && "from" in wanted && "before" in wanted;
}

/** The conditions that these columns have these values. Undefined ones are ignored. */
export function having<C extends string>(
  of: Columns<C>,
  values: NoInfer<{ [Name in C]?: unknown }>,
): Condition[] {
  const wanted = Object.entries(values).filter(([, value]) => value !== undefined);
  return wanted.map(([name, value]) => is(of, name)(value));
}

/** The parameters of a list, each with its schema and with what it demands. */
type Parameters = Map<string, { schema: z.ZodType; narrows: Narrowing<unknown> }>;

function rowsOf(of: Table<never>, rows: Given = {}): Parameters {
  const parameters = Object.entries(rows).map(([name, row]) => {
    const [schema, by] = "parse" in row ? [row, name] : row;
    const narrows = typeof by === "string" ? is(of, by) : by;
    return [name, { schema, narrows: narrows as Narrowing<unknown> }] as const;
  });
  return new Map(parameters);
}

/** The orders of a list, each with its schema and with what it sorts by. */
type Orders = Map<string, { schema: z.ZodType; by: RawBuilder<unknown> }>;

function ordersOf(of: Table<never>, sorting: Record<string, SortRow<string>> = {}): Orders {
  const orders = Object.entries(sorting).map(([name, row]) => {
    const [meaning, by] = typeof row === "string" ? [row, name] : row;
    const column = typeof by === "string" ? sql.ref(columnOf(of, by)) : by;
    return [name, { schema: field(direction, meaning), by: column }] as const;
  });
  return new Map(orders);
}

function narrowed(parameters: Parameters, given: Record<string, unknown>, asking: Asking): Condition[] {
  return [...parameters].flatMap(([name, { narrows }]) =>
    given[name] === undefined ? [] : [narrows(given[name], asking)],
  );
}

function schemasOf(rows: ReadonlyMap<string, { schema: z.ZodType }>): Schemas {
  return Object.fromEntries([...rows].map(([name, { schema }]) => [name, schema]));
}

function groupOf(rows: ReadonlyMap<string, { schema: z.ZodType }>, meaning: string) {
  return field(z.object(schemasOf(rows), "is invalid").partial().default({}), meaning);
}

/** A column under its table's name. A list that names another column does not start. */
function columnOf(of: Pick<Table<never>, "name" | "names">, name: string): string {
  if (!of.names.includes(name)) throw new Error(`${of.name} has no column ${name}`);
  return `${sqlName(of)}.${name}`;
}
