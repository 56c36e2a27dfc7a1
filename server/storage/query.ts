import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  type Compilable,
  type CompiledQuery,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from "kysely";
import { storable } from "./storable.ts";
import { SQLITE, sqlName, type Dialect, type Statement } from "./sql.ts";
import type { ColumnValue, Key, Row, Table } from "./table.ts";

/** The tables of a query, under their SQL names. */
export type Schema<Tables extends Record<string, Pick<Table<never>, "columns">>> = {
  [Name in keyof Tables]: Row<Tables[Name]>;
};

// Kysely only builds queries. Engines run them on their own connections.
const builders = {
  sqlite: new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

/** Builds queries over some tables, in an engine's dialect. */
export function builderOf<S>(dialect: Dialect): Kysely<S> {
  return (dialect === SQLITE ? builders.sqlite : builders.postgres) as Kysely<S>;
}

/** The text and values of a query. */
export function statementOf(query: Compilable): Statement {
  const { sql, parameters } = query.compile();
  return { text: sql, values: parameters as ColumnValue[], isQuick: "isQuick" in query };
}

/**
 * Marks a query that an index answers as fast as a read of a few records, so that it need not run in a
 * separate thread.
 */
export function quick<O>(query: Compilable<O>): Compilable<O> & { isQuick: true } {
  return { compile: () => query.compile(), isQuick: true };
}

/**
 * A frequent query whose values differ each time. Its text is built once for each dialect.
 *
 * @example const balance = prepared((query: Kysely<LeadSchema>, accountId: number) =>
 * query.selectFrom("leads")…);
 */
export function prepared<S, Values extends ColumnValue[], O>(
  write: (query: Kysely<S>, ...values: Values) => Compilable<O>,
): (view: { query<S>(): Kysely<S> }, ...values: Values) => Compilable<O> {
  const written = new WeakMap<Kysely<S>, CompiledQuery<O>>();
  const places = Array.from({ length: write.length - 1 }, (_, at) => ({ at }));
  return (view, ...values) => {
    const query = view.query<S>();
    let compiled = written.get(query);
    if (compiled === undefined) {
      compiled = write(query, ...(places as unknown as Values)).compile();
      written.set(query, compiled);
    }
    const valueOf = (given: unknown) => {
      const place = places.indexOf(given as { at: number });
      return place < 0 ? given : values[place];
    };
    const asked = { ...compiled, parameters: compiled.parameters.map(valueOf) };
    return { compile: () => asked };
  };
}

/** Runs queries: a store, or a transaction's view. */
interface QueryRunner {
  query<S>(): Kysely<S>;
  rows<O>(query: Compilable<O>): Promise<O[]>;
  record<R>(from: Table<R>, row: object, as?: string): R | null;
  get<R>(from: Table<R>, accountId: number, id: number): Promise<R | null>;
  list<R, Listed extends string>(
    from: Table<R, string, Listed>,
    ...listing: [index: Listed | "id", accountId: number, start: Key]
  ): Promise<R[]>;
}

/** The page of a list to read. */
export interface Window {
  limit: number;
  offset: number;
}

/** A field that a list is sorted by, and the direction. */
export interface Sort<By extends string> {
  by: By;
  isDescending: boolean;
}

/** A page of a list, and the length of the whole list. */
export interface Found<R> {
  records: R[];
  total: number;
}

export const NOTHING: Found<never> = { records: [], total: 0 };

/** The part of a query's records to read. The query itself selects no columns. */
type Wanted<S, Names extends keyof S> = { query: SelectQueryBuilder<S, Names, object> } & Window;

/** A page of the records that a query finds, in its order, and their total number. */
export async function findPage<R extends { id: number }, S, Names extends keyof S>(
  view: QueryRunner,
  from: Table<R>,
  wanted: Wanted<S, Names>,
): Promise<Found<R>> {
  const { account_id, ids, total } = await findIds(view, from, wanted);
  const known = await findMany(view, from, account_id, ids);
  // A record may have been removed meanwhile.
  return { records: ids.flatMap((id) => known.get(id) ?? []), total };
}

/**
 * Up to this many, single reads are cheaper than a statement. Both engines answer them at once. A transaction answers them
 * from what it has read and written, and need not send its writes first.
 */
const FEW = 25;

/** The records with these ids, by their ids. However many there are, it is one round trip. */
export async function findMany<R extends { id: number }>(
  view: QueryRunner,
  from: Table<R>,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, R>> {
  const distinct = [...new Set(ids)];
  if (distinct.length <= FEW) {
    const found = await Promise.all(distinct.map((id) => view.get(from, accountId, id)));
    return new Map(found.filter((record) => record !== null).map((record) => [record.id, record]));
  }
  const query = view
    .query<Record<string, Record<string, ColumnValue>>>()
    .selectFrom(sqlName(from))
    .select(allOf(from))
    .where("account_id", "=", accountId)
    .where(among("id", distinct));
  const records = (await view.rows(quick(query))).map((row) => view.record(from, row)!);
  return new Map(records.map((record) => [record.id, record]));
}

// oxlint-disable-next-line typescript/no-explicit-any -- the record type of a table is inferred from it
type Joins<R> = Record<string, readonly [from: Table<any>, id: keyof R & string]>;
type Joined<J> = {
  -readonly [Name in keyof J]: J[Name] extends readonly [Table<infer T>, unknown] ? T | null : never;
};

/**
 * Reads the records that each of some records belongs to, by the fields with their ids: all of a table at once. Null: there is
 * none, or it was deleted.
 */
export function belongingTo<R extends { account_id: number }, const J extends Joins<R>>(
  _of: Pick<Table<R>, "derived">,
  joins: J,
): (view: QueryRunner, records: R[]) => Promise<Joined<J>[]> {
  return async (view, records) => {
    const accountId = records[0]?.account_id ?? 0;
    const idOf = (record: R, field: keyof R) => record[field] as number | null;
    const found = await Promise.all(
      Object.entries<Joins<R>[string]>(joins).map(async ([name, [from, field]]) => {
        const ids = records.map((record) => idOf(record, field)).filter((id) => id !== null);
        return { name, field, known: await findMany<{ id: number }>(view, from, accountId, ids) };
      }),
    );
    const joinedTo = (record: R) =>
      found.map(({ name, field, known }) => [name, known.get(idOf(record, field) ?? 0) ?? null]);
    return records.map((record) => Object.fromEntries(joinedTo(record)) as Joined<J>);
  };
}

/** The records that belong to each of some others, oldest first. The first column of the index names their owners. */
export async function findOwned<R extends { id: number }, Listed extends string>(
  view: QueryRunner,
  from: Table<R, string, Listed>,
  { account_id, index, ids }: { account_id: number; index: NoInfer<Listed>; ids: readonly number[] },
): Promise<(id: number) => R[]> {
  const owners = new Map<unknown, R[]>(ids.map((id) => [id, []]));
  if (owners.size === 0) return () => [];
  if (owners.size === 1) {
    // By a listing, whose statement is known, because most readers ask for one owner.
    const only = await view.list(from, index, account_id, [ids[0]!]);
    return (id) => (id === ids[0] ? only : []);
  }
  const { on, where } = from.indexes[index];
  const by = on[0]!;
  const query = view
    .query<Record<string, Record<string, ColumnValue>>>()
    .selectFrom(sqlName(from))
    .select(allOf(from))
    .where("account_id", "=", account_id)
    .where(among(by, [...new Set(ids)]))
    .where(sql.raw<SqlBool>(where ?? "1 = 1"))
    .orderBy("id");
  for (const row of await view.rows(query)) {
    const record = view.record(from, row)!;
    owners.get(record[by as keyof R])?.push(record);
  }
  return (id) => owners.get(id) ?? [];
}

/** What `belongingTo` reads for a record. */
export type BelongingTo<J> = J extends (...given: never[]) => Promise<(infer P)[]> ? P : never;

/** Selects all columns of a table of a query, each under the table's name and its own. */
export function allOf(from: Pick<Table<never>, "name" | "names">, as = sqlName(from)) {
  return from.names.map((name) => sql.ref<ColumnValue>(`${as}.${name}`).as(`${as}.${name}`));
}

/** The values in a row that has `allOf` a table, or null if a join has found no record. */
export function recordIn(
  from: Pick<Table<never>, "name" | "names">,
  row: object,
  as = sqlName(from),
): ColumnValue[] | null {
  const found = row as Record<string, ColumnValue>;
  const values = from.names.map((name) => found[`${as}.${name}`] ?? null);
  return values[0] === null ? null : values;
}

/**
 * The ids on a page of the records that a query finds, and their total number. An index can answer this.
 * Whole records lie far apart, so `findPage` reads only those of the page.
 */
async function findIds<S, Names extends keyof S>(
  view: QueryRunner,
  from: Pick<Table<never>, "name">,
  { query, limit, offset }: Wanted<S, Names>,
): Promise<{ account_id: number; ids: number[]; total: number }> {
  const [account, id] = ["account_id", "id"].map((column) => sql.ref(`${sqlName(from)}.${column}`));
  const key = [account!.as("account"), id!.as("id")];
  const total = sql`count(*)`.as("total");
  const [page, [count]] = await Promise.all([
    view.rows(query.select(key).limit(limit).offset(offset)) as Promise<{ account: number; id: number }[]>,
    view.rows(query.clearOrderBy().select(total)) as Promise<{ total: number }[]>,
  ]);
  const ids = page.map((row) => Number(row.id));
  return { account_id: Number(page[0]?.account ?? 0), ids, total: Number(count?.total ?? 0) };
}

/** Whether a column lies in a range that excludes its end. A bound of null is open. */
export function isWithin(
  column: string | RawBuilder<unknown>,
  { from, before }: { from: ColumnValue; before: ColumnValue },
): RawBuilder<SqlBool> {
  const value = typeof column === "string" ? sql.ref(column) : column;
  const [least, below] = [sql`${value} >= ${from}`, sql`${value} < ${before}`];
  if (before === null) return from === null ? sql`1 = 1` : sql`${least}`;
  return from === null ? sql`${below}` : sql`(${least} and ${below})`;
}

/** Whether a column with a flag says so. */
export function isFlag(column: string, wanted: boolean): RawBuilder<SqlBool> {
  return wanted ? sql<SqlBool>`${sql.ref(column)}` : sql<SqlBool>`not ${sql.ref(column)}`;
}

/** Whether any of these conditions holds. */
export function anyOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql`1 = 0` : sql`(${sql.join(conditions, sql` or `)})`;
}

/** Whether a column has one of these values. */
export function among(column: string, values: readonly ColumnValue[]): RawBuilder<SqlBool> {
  if (values.length === 0) return sql<SqlBool>`1 = 0`;
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(values)})`;
}

/** Whether a column's text, which is in lower case, contains another text in any case. */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  // SQLite ends a pattern at a NUL, and would then match everything.
  const pattern = `%${storable(text)
    .toLowerCase()
    .replace(/[\\%_]/g, "\\$&")}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
