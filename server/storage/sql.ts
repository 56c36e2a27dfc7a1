import {
  quoted,
  type ColumnType,
  type ColumnValue,
  type Index,
  type Key,
  type KeyPart,
  type Table,
} from "./table.ts";

/** How the two engines differ in their SQL. */
export interface Dialect {
  /** The placeholder of the n-th value, counted from 1. */
  value(n: number): string;
  /** The engine's types for columns. */
  types: Record<ColumnType, string>;
  /** Selects the names and types of a table's columns. Its value is the table's name. */
  columnsOf: string;
  /** Columns that the engine adds to every table for itself. */
  own: string[];
  /** Assignments that every `update` must add. */
  ownUpdate: string;
}

export const SQLITE: Dialect = {
  value: () => "?",
  types: {
    integer: "integer",
    text: "text",
    // The last word is SQLite's type. The first one tells flags from numbers, and documents from texts (`asStored`).
    flag: "boolean integer",
    time: "text",
    json: "json text",
  },
  columnsOf: "select name, type from pragma_table_info(?)",
  own: [],
  ownUpdate: "",
};
export const POSTGRES: Dialect = {
  value: (n) => `$${n}`,
  types: {
    integer: "bigint",
    // Texts are compared by bytes, as in SQLite, even if the database has another collation.
    text: 'text collate "C"',
    flag: "boolean",
    // In milliseconds, like the code's. A page of a list could otherwise begin again with the last record of the one before.
    time: "timestamptz(3)",
    json: "jsonb",
  },
  columnsOf:
    "select column_name, data_type from information_schema.columns where table_schema = current_schema() and table_name = $1",
  // Counts the writes to a row, so that a transaction can detect changes by others.
  own: ["row_version bigint not null default 1"],
  ownUpdate: ", row_version = row_version + 1",
};

/** A statement with its values. */
export interface Statement {
  text: string;
  values: readonly ColumnValue[];
  /**
   * The table whose rows are listed. The statement then begins by selecting all columns, and its first value is
   * the account.
   */
  of?: Table<never>;
  /** Whether the query is as fast as a read of a few records. */
  isQuick?: boolean;
}

/** The table's name in SQL: `promoter_campaigns`. */
export function sqlName({ name }: Pick<Table<never>, "name">): string {
  const snake = name.replaceAll("-", "_");
  if (/(s|x|ch)$/.test(snake)) return snake.endsWith("s") ? snake : `${snake}es`;
  return /[^aeiou]y$/.test(snake) ? `${snake.slice(0, -1)}ies` : `${snake}s`;
}

/** The statements that create a table with its indexes. */
export function ddl(of: Table<never>, dialect: Dialect): string[] {
  const columns = Object.entries<ColumnType>(of.columns).map(
    ([column, type]) => `"${column}" ${dialect.types[type]}${of.key.includes(column) ? " not null" : ""}`,
  );
  const account = `account_id ${dialect.types.integer} not null`;
  const primary = `primary key (account_id, ${quoted(of.key).join(", ")})`;
  const all = [account, ...columns, ...dialect.own, primary];
  const name = sqlName(of);
  const statistics = dialect === SQLITE ? tableStatistics(of, name) : [];
  return [`create table ${name} (${all.join(", ")})`, ...statistics, ...indexDdl(of, dialect)];
}

/** The statements that create the indexes of a table. Their names begin with the table's. */
function indexDdl(of: Table<never>, dialect: Dialect): string[] {
  const table = sqlName(of);
  const unique = Object.entries<readonly string[]>(of.unique).map(([constraint, on]) => ({
    name: uniqueName(of, constraint),
    on,
    isUnique: true,
  }));
  const others = Object.entries<Index>(of.indexes)
    .filter(([, { covers }]) => covers === undefined || dialect === SQLITE)
    .map(([index, { on, covers = [], where }]) => {
      const rest = of.key.filter((column) => !on.includes(column));
      return { name: `${table}_${index}`, on: [...on, ...rest, ...covers], where, isUnique: false };
    });
  return [...unique, ...others].flatMap((index) => [
    createIndex({ where: undefined, ...index, table }),
    ...(dialect === SQLITE ? [indexStatistics(of, { ...index, table })] : []),
  ]);
}

/** The name of a unique constraint's index: `leads_email_key`. */
function uniqueName(of: Table<never>, unique: string): string {
  return `${sqlName(of)}_${unique}_key`;
}

function createIndex(index: {
  name: string;
  table: string;
  on: readonly string[];
  where: string | undefined;
  isUnique: boolean;
}): string {
  const { name, table, on, where, isUnique } = index;
  const columns = quoted(["account_id", ...on]).join(", ");
  return `create ${isUnique ? "unique " : ""}index ${name} on ${table} (${columns})${where ? ` where ${where}` : ""}`;
}

/** Statements for single records of a table. */
interface RecordStatements {
  get: string;
  insert: string;
  remove: string;
  find: Record<string, string>;
}

const known = {
  sqlite: new WeakMap<object, RecordStatements>(),
  postgres: new WeakMap<object, RecordStatements>(),
};

/** The statements for single records, built once for each table. */
export function recordStatements<R>(of: Table<R>, dialect: Dialect): RecordStatements {
  const cache = dialect === SQLITE ? known.sqlite : known.postgres;
  let statements = cache.get(of);
  if (statements === undefined) cache.set(of, (statements = makeStatements(of, dialect)));
  return statements;
}

function makeStatements<R>(of: Table<R>, { value }: Dialect): RecordStatements {
  const name = sqlName(of);
  const columns = quoted(of.names);
  const key = ["account_id", ...of.key];
  const where = (names: readonly string[]) =>
    quoted(names)
      .map((column, at) => `${column} = ${value(at + 1)}`)
      .join(" and ");
  return {
    get: `select ${columns.join(", ")} from ${name} where ${where(key)}`,
    insert: `insert into ${name} (${columns.join(", ")}) values (${columns.map((_, at) => value(at + 1)).join(", ")})`,
    remove: `delete from ${name} where ${where(key)}`,
    find: Object.fromEntries(
      Object.entries<readonly string[]>(of.unique).map(([unique, on]) => [
        unique,
        `select ${columns.join(", ")} from ${name} where ${where(["account_id", ...on])}`,
      ]),
    ),
  };
}

/** A part of a listing: the records whose next column is in this range. */
export interface Between {
  from: KeyPart;
  before: KeyPart;
}

/** The records whose first columns of an index, or of the key, equal `start`. */
export interface Listing {
  index: string;
  account_id: number;
  start: Key;
  between?: Between | undefined;
}

/**
 * The columns that order a listing, and its conditions. `values` holds the values of the statement so far.
 */
function listingParts<R>(
  of: Table<R>,
  { index, account_id, start, between }: Listing,
  { value }: Dialect,
  values: ColumnValue[] = [],
) {
  const declared: Index | undefined =
    index === "id" ? { on: of.key } : (of.indexes as Record<string, Index>)[index];
  if (declared === undefined) throw new Error(`${of.name} has no index ${index}`);
  const order = quoted([...declared.on, ...of.key.filter((column) => !declared.on.includes(column))]);
  const conditions = [`account_id = ${value(values.push(account_id))}`];
  start.forEach((part, at) => conditions.push(`${order[at]} = ${value(values.push(part))}`));
  if (declared.where) conditions.push(declared.where);
  if (between !== undefined) {
    values.push(between.from, between.before);
    const next = order[start.length];
    conditions.push(`${next} >= ${value(values.length - 1)}`, `${next} < ${value(values.length)}`);
  }
  return { order: order.slice(start.length), conditions, values };
}

/**
 * SQLite plans a statement again each time a limit is bound to it, which costs more than reading a few
 * records.
 */
function wholeNumber(limit: number): number {
  if (!Number.isSafeInteger(limit)) throw new Error(`${limit} is not a limit`);
  return limit;
}

/** Lists rows, each followed by the values that order them. `after` continues behind the row with these. */
export function listStatement<R>(
  of: Table<R>,
  listing: Listing,
  page: { limit: number; offset?: number; reverse?: boolean; after?: readonly ColumnValue[] | undefined },
  dialect: Dialect,
): Statement {
  const { order, conditions, values } = listingParts(of, listing, dialect);
  const { limit, offset = 0, reverse = false, after } = page;
  if (after !== undefined) {
    const places = after.map((each) => dialect.value(values.push(each)));
    conditions.push(`(${order.join(", ")}) > (${places.join(", ")})`);
  }
  const sorting = order.map((column) => (reverse ? `${column} desc` : column)).join(", ");
  const from = offset === 0 ? "" : ` offset ${dialect.value(values.push(offset))}`;
  const text =
    `select ${[of.selected, ...order].join(", ")} from ${sqlName(of)} where ${conditions.join(" and ")}` +
    ` order by ${sorting || "account_id"} limit ${wholeNumber(limit)}${from}`;
  return { text, values, of };
}

/** Sets a column of all records of a listing where it is null. */
export function fillStatement<R>(
  of: Table<R>,
  listing: Listing,
  { column, value }: { column: string; value: number },
  dialect: Dialect,
): Statement {
  const { conditions, values } = listingParts(of, listing, dialect, [value]);
  const text =
    `update ${sqlName(of)} set "${column}" = ${dialect.value(1)}${dialect.ownUpdate}` +
    ` where ${conditions.join(" and ")} and "${column}" is null`;
  return { text, values };
}

/** Counts the records of a listing. */
export function countStatement<R>(of: Table<R>, listing: Listing, dialect: Dialect): Statement {
  const { conditions, values } = listingParts(of, listing, dialect);
  return { text: `select count(*) from ${sqlName(of)} where ${conditions.join(" and ")}`, values };
}

/**
 * The words of each statement. Statements come from the code, so they are few, apart from those with long
 * lists.
 */
const words = new Map<string, Set<string>>();
const MAX_TEXTS = 1_000;

/** Whether a statement mentions a table. It may say yes wrongly, but never no. */
export function mentions(text: string, table: string): boolean {
  let named = words.get(text);
  if (named === undefined) {
    if (words.size >= MAX_TEXTS) words.clear();
    words.set(text, (named = new Set(text.match(/\w+/g))));
  }
  return named.has(table);
}

/**
 * The figures of a large store, for which plans matter: its records, and their size relative to index
 * entries.
 */
const RECORDS = 1_000_000;
const RECORD_BYTES = 1_000;
const ENTRY_BYTES = 150;
/** How many different values a column of few values has. */
const FEW_VALUES = 5;
const MANY_VALUES = 20_000;

/**
 * The statements that describe a table of a large store to SQLite's planner: one account has all records, and
 * records are longer than index entries. By default the planner assumes ten records for each account. Its own
 * `analyze` would read the whole file and block writes. Dropping an index drops its figures.
 *
 * @see https://www.sqlite.org/fileformat2.html#the_sqlite_stat1_table
 */
function tableStatistics(of: Table<never>, name: string): string[] {
  return [
    insertStatistics(name, null, `${RECORDS} sz=${RECORD_BYTES}`),
    indexStatistics(of, { name: `sqlite_autoindex_${name}_1`, table: name, on: of.key, isUnique: true }),
  ];
}

/**
 * The statement that sets how many records share the same values in the first one, two, … columns of an
 * index.
 */
function indexStatistics(
  of: Table<never>,
  { name, table, on, isUnique }: { name: string; table: string; on: readonly string[]; isUnique: boolean },
): string {
  let alike = RECORDS;
  const figures = on.map((column, at) => {
    const first = on.slice(0, at + 1);
    alike = Math.max(1, alike / (of.few.includes(column) ? FEW_VALUES : MANY_VALUES));
    if (of.key.every((part) => first.includes(part)) || (isUnique && first.length === on.length)) alike = 1;
    return Math.ceil(alike);
  });
  return insertStatistics(table, name, [RECORDS, RECORDS, ...figures, `sz=${ENTRY_BYTES}`].join(" "));
}

function insertStatistics(table: string, index: string | null, figures: string): string {
  const name = index === null ? "null" : `'${index}'`;
  return `insert into sqlite_stat1 (tbl, idx, stat) values ('${table}', ${name}, '${figures}')`;
}
