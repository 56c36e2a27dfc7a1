import { sql, type RawBuilder, type SqlBool } from "kysely";
import { z } from "zod";
import type { Account } from "../domain/program/account/account.ts";
import { dayIn, timeZoneOf } from "../domain/program/account/time-zone.ts";
import { isoRange } from "../domain/span.ts";
import { field } from "../http/fields.ts";
import { setPageHeaders } from "../http/pages.ts";
import { direction, id, listOf } from "../input/fields.ts";
import { among, findPage, isFlag, isWithin, type Window } from "../storage/query.ts";
import { sqlName } from "../storage/sql.ts";
import type { View } from "../storage/store.ts";
import type { Table } from "../storage/table.ts";
import {
  amountSpan,
  pageParams,
  readListing,
  span,
  type Amounts,
  type ListRequest,
  type Period,
} from "./listing.ts";

export type Condition = RawBuilder<SqlBool>;

/** For whom a list is read, and when. */
export interface Asking {
  account: Account;
  now: Date;
  /** The calendar day in the account's time zone. */
  today: string;
}

/** How a parameter narrows a list. */
type Narrowing<T> = (wanted: T, asking: Asking) => Condition;

/** A parameter's schema, and how it narrows the list. The schema alone: it is about the column of the same name. */
type Row<S extends z.ZodType> = S | readonly [schema: S, narrows: Narrowing<NonNullable<z.output<S>>>];
type Schemas = Record<string, z.ZodType>;
type Rows<S extends Schemas> = { readonly [Name in keyof S]: Row<S[Name]> };

interface Declared<P extends Schemas, F extends Schemas> {
  /** What all records of the list meet. Absent: it has all records of the account. */
  only?: Condition;
  /** Parameters beside `filters`, such as `q`. */
  params?: Rows<P>;
  filters?: Rows<F>;
  /** The meaning of each order, and its column or expression. The meaning alone: the column has the same name. */
  sorting?: Readonly<Record<string, SortRow>>;
  /** Whether the newest come first unless the request says otherwise. */
  isNewestFirst?: boolean;
}
type SortRow = string | readonly [meaning: string, by: string | RawBuilder<unknown>];

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

/** The parameter with the ids of the records. */
export const ids = field(listOf(id).optional(), "Ids of the records.", [17, 18]);

/** Declares a list of a table's records: a row for each parameter, each filter and each order. */
export function list<
  R extends { account_id: number; id: number },
  P extends Schemas = Record<never, never>,
  F extends Schemas = Record<never, never>,
>(of: Table<R>, { only, params, filters, sorting = {}, isNewestFirst = false }: Declared<P, F>) {
  const [outer, inner] = [rowsOf(of, params), rowsOf(of, filters)];
  const orders = new Map(Object.entries(sorting).map(([name, row]) => [name, orderOf(of, name, row)]));
  const schema = z.object({
    ...schemasOf(outer),
    ...(inner.size > 0 && { filters: groupOf(inner, "Only records that match.") }),
    ...(orders.size > 0 && {
      sorting: groupOf(orders, "Order of the records. Of several, the first counts most."),
    }),
    ...pageParams.shape,
  });

  /** A page of the records that meet all conditions, for callers with other parameters than the list's. */
  function find(view: View, accountId: number, { where, orders: given = [], ...window }: Wanted) {
    const last = { by: sql.ref(columnOf(of, "id")), isDescending: given[0]?.isDescending ?? isNewestFirst };
    const all = view
      .query<Record<string, Record<string, number>>>()
      .selectFrom(sqlName(of))
      .where(columnOf(of, "account_id"), "=", accountId);
    const conditions = only === undefined ? where : [only, ...where];
    const narrowed = conditions.reduce((query, condition) => query.where(condition), all);
    const query = [...given, last].reduce(
      (ordered, { by, isDescending }) => ordered.orderBy(by, isDescending ? "desc" : "asc"),
      narrowed,
    );
    return findPage(view, of, { query, ...window });
  }

  /** What a request demands of the records. */
  function conditionsOf({ account, context: { now } }: ListRequest, { filters = {}, ...given }: Given) {
    const asking = { account, now, today: dayIn(timeZoneOf(account), now) };
    // A filter counts more than a parameter of the same name.
    const outside = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in filters)));
    return [...narrowed(outer, outside, asking), ...narrowed(inner, filters, asking)];
  }

  return {
    params: schema,
    find,
    /** The page that a request asks for, of the records `within` these conditions. Sets the page headers. */
    async read(request: ListRequest, within: readonly Condition[] = []): Promise<R[]> {
      const { params, query, page, window } = readListing(request, schema);
      const { sorting: directions = {}, ...given } = params as Given;
      // The first order in the query counts most.
      const chosen = Object.keys(query["sorting"] ?? {}).filter((name) => orders.has(name));
      const { records, total } = await find(request.context.store, request.account.id, {
        where: [...within, ...conditionsOf(request, given)],
        orders: chosen.map((name) => ({
          by: orders.get(name)!.by,
          isDescending: directions[name] === "desc",
        })),
        ...window,
      });
      setPageHeaders(request, page, total);
      return records;
    },
  };
}

/** The values of a request's parameters. */
interface Given extends Record<string, unknown> {
  filters?: Record<string, unknown>;
  sorting?: Record<string, "asc" | "desc">;
}

/** A table and the names of its columns. */
type Columns<C extends string> = Pick<Table<never>, "name" | "names" | "fields"> & {
  columns: Record<C, unknown>;
};

/** Whether a column has a value, one of some values, or a value within a range, as the type of a filter says. */
export function is<C extends string>(of: Columns<C>, name: NoInfer<C>): (wanted: unknown) => Condition {
  const column = columnOf(of, name);
  const isTime = of.fields[name]?.type === "time";
  return (wanted) => {
    if (Array.isArray(wanted)) return among(column, wanted);
    if (typeof wanted === "boolean") return isFlag(column, wanted);
    if (typeof wanted === "string" || typeof wanted === "number")
      return sql<SqlBool>`${sql.ref(column)} = ${wanted}`;
    // Anything else would be an open range, and select everything.
    if (!isRange(wanted)) throw new Error(`${column} can't be compared with ${String(wanted)}`);
    return isWithin(column, isTime ? isoRange(span(wanted as Period)!) : amountSpan(wanted as Amounts)!);
  };
}

function isRange(wanted: unknown): boolean {
  const isPlain = typeof wanted === "object" && wanted !== null && !(wanted instanceof Date);
  return isPlain && Object.keys(wanted).every((name) => name === "from" || name === "to");
}

/** The conditions that these columns have these values. Undefined ones are ignored. */
export function having<C extends string>(
  of: Columns<C>,
  values: NoInfer<{ [Name in C]?: unknown }>,
): Condition[] {
  const wanted = Object.entries(values).filter(([, value]) => value !== undefined) as [C, unknown][];
  return wanted.map(([name, value]) => is(of, name)(value));
}

/** The parameters of a list, each with its schema and with what it demands. */
type Parameters = Map<string, { schema: z.ZodType; narrows: Narrowing<unknown> }>;

function rowsOf<S extends Schemas>(of: Table<never>, rows: Rows<S> | undefined): Parameters {
  const parameters = Object.entries<Row<z.ZodType>>((rows ?? {}) as never).map(([name, row]) => {
    const [schema, narrows] = "parse" in row ? [row, is(of, name)] : row;
    return [name, { schema, narrows: narrows as Narrowing<unknown> }] as const;
  });
  return new Map(parameters);
}

function narrowed(parameters: Parameters, given: Record<string, unknown>, asking: Asking): Condition[] {
  return [...parameters].flatMap(([name, { narrows }]) =>
    given[name] === undefined ? [] : [narrows(given[name], asking)],
  );
}

function orderOf(of: Table<never>, name: string, row: SortRow) {
  const [meaning, by] = typeof row === "string" ? [row, name] : row;
  return { schema: field(direction, meaning), by: typeof by === "string" ? sql.ref(columnOf(of, by)) : by };
}

function schemasOf(rows: ReadonlyMap<string, { schema: z.ZodType }>): Schemas {
  return Object.fromEntries([...rows].map(([name, { schema }]) => [name, schema]));
}

function groupOf(rows: ReadonlyMap<string, { schema: z.ZodType }>, meaning: string): z.ZodType {
  return field(z.object(schemasOf(rows), "is invalid").partial().default({}), meaning);
}

/** A column under its table's name. A list that names another column does not start. */
function columnOf(of: Pick<Table<never>, "name" | "names">, name: string): string {
  if (!of.names.includes(name)) throw new Error(`${of.name} has no column ${name}`);
  return `${sqlName(of)}.${name}`;
}
