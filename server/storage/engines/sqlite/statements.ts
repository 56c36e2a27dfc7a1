import { quoted, type ColumnValue, type Key, type Table } from "../../table.ts";
import type { Reads, Session, Values, Written } from "../../session.ts";
import { recordStatements, SQLITE, sqlName, type Statement } from "../../sql.ts";
import {
  addedRow,
  addedTo,
  addedTypes,
  adding,
  newAdditions,
  totalStatement,
  type SumTable,
} from "../../sums.ts";
import type { Database } from "./database.ts";
import { refusalOf } from "./faults.ts";

/** A prepared statement. */
export type Prepared = ReturnType<Database["prepare"]>;

/** The maximum of cached rows per table, for example during a very large import. */
const MAX_HELD = 1_000;

/** Prepares each statement once. */
function prepared(db: Database): (text: string) => Prepared {
  const statements = new Map<string, Prepared>();
  return (text) => {
    let statement = statements.get(text);
    if (statement === undefined) statements.set(text, (statement = db.prepare(text)));
    return statement;
  };
}

/** The rows of a statement. The binding's `all` gives no code for a fault, so `get` repeats it. */
function rowsOf(statement: Prepared, values: readonly ColumnValue[]): unknown[] {
  try {
    return statement.all(...values);
  } catch (error) {
    statement.get(...values);
    throw error;
  }
}

/** Reads on a connection. They return synchronously. */
export function readsOn(db: Database, prepare = prepared(db)) {
  const namedStatements = new Map<string, Prepared>();
  function named(text: string): Prepared {
    let statement = namedStatements.get(text);
    if (statement === undefined) {
      namedStatements.set(text, (statement = db.prepare(text)));
      statement.setReturnArrays(false);
    }
    return statement;
  }
  const one = (text: string, ...values: ColumnValue[]) =>
    (prepare(text).get(...values) as Values | undefined) ?? null;
  return {
    dialect: SQLITE,
    get: (from: Table<never>, accountId: number, key: Key) =>
      one(recordStatements(from, SQLITE).get, accountId, ...key),
    find: (from: Table<never>, unique: string, accountId: number, values: Key) =>
      one(recordStatements(from, SQLITE).find[unique]!, accountId, ...values),
    all: ({ text, values }: Statement) => rowsOf(prepare(text), values) as ColumnValue[][],
    total(of: SumTable, accountId: number, start: Key) {
      const { text, values } = totalStatement(of, accountId, { start, dialect: SQLITE });
      return prepare(text).get(...values) as number[];
    },
    ask: ({ text, values }: Statement) => rowsOf(named(text), values) as Record<string, ColumnValue>[],
  } satisfies Reads;
}

/** The same, but errors of SQLite become Failure `unavailable`. */
export function guardedReads(db: Database, file: string): Reads {
  const { dialect, get, find, all, total, ask } = readsOn(db);
  const guarded =
    <A extends unknown[], T>(read: (...given: A) => T) =>
    (...given: A): T => {
      try {
        return read(...given);
      } catch (error) {
        throw refusalOf(error, { file, what: "read" });
      }
    };
  return {
    dialect,
    get: guarded(get),
    find: guarded(find),
    all: guarded(all),
    total: guarded(total),
    ask: guarded(ask),
  };
}

/**
 * The statement that writes a row, or null if it has not changed. `before` is the present row, or null for a new one.
 *
 * An update sets only the changed columns: SQLite rewrites the entries of all indexes on a column that a
 * statement sets, even to the same value.
 */
function writing(into: Table<never>, row: Values, before: Values | null): Statement | null {
  if (before === null) return { text: recordStatements(into, SQLITE).insert, values: row };
  const names = into.names;
  const changed = names.filter((_, at) => row[at] !== before[at]);
  if (changed.length === 0) return null;
  const where = ["account_id", ...into.key];
  const equal = (columns: string[]) => quoted(columns).map((column) => `${column} = ?`);
  return {
    text: `update ${sqlName(into)} set ${equal(changed).join(", ")} where ${equal(where).join(" and ")}`,
    values: [...changed, ...where].map((name) => row[names.indexOf(name)]!),
  };
}

const known = new WeakMap<SumTable, string>();

/** The statement that adds a row's values, built once for each table of sums. */
function addingTo(into: SumTable): string {
  let text = known.get(into);
  if (text === undefined) {
    text = adding(
      into,
      `values (${addedTypes(into)
        .map(() => "?")
        .join(", ")})`,
    );
    known.set(into, text);
  }
  return text;
}

/** The session of the writing connection, whose transactions run one after another. */
interface WritingSession extends Session {
  /** Grows with each change. */
  changeCount(): number;
  /** Writes the collected sums, each row once for all transactions. */
  flush(): void;
  /** Forgets the sums and all cached rows, because a commit begins or transactions are undone. */
  forget(): void;
}

/**
 * The rows that were read, and those that were written if they are kept. The transactions of one commit
 * share them, and so do other reads of one turn, since most need the same account, campaigns and rewards.
 */
export function newHeld(load: (from: Table<never>, accountId: number, key: Key) => Values | null) {
  const tables = new Map<Table<never>, Map<string, Values | null>>();
  const nameOf = (accountId: number, key: Key) => `${accountId} ${key.join("\0")}`;
  function of(table: Table<never>) {
    let held = tables.get(table);
    if (held === undefined) tables.set(table, (held = new Map()));
    return held;
  }
  function keep(from: Table<never>, accountId: number, key: Key, row: Values | null): void {
    const held = of(from);
    if (held.size >= MAX_HELD) held.clear();
    held.set(nameOf(accountId, key), row);
  }
  return {
    keep,
    get(from: Table<never>, accountId: number, key: Key): Values | null {
      let row = of(from).get(nameOf(accountId, key));
      if (row === undefined) keep(from, accountId, key, (row = load(from, accountId, key)));
      return row;
    },
    clear: () => tables.clear(),
  };
}

/** The session of a connection. It is the only writer, so reading a record locks it. */
export function sessionOn(db: Database): WritingSession {
  const prepare = prepared(db);
  const reads = readsOn(db, prepare);
  const additions = newAdditions();
  const held = newHeld(reads.get);
  let changeCount = 0;
  const flush = () => {
    for (const addition of additions.take()) prepare(addingTo(addition.into)).run(...addedRow(addition));
  };
  const flushed =
    <T>(work: (statement: Statement) => T) =>
    (statement: Statement): T => {
      if (additions.concern(statement)) flush();
      return work(statement);
    };
  return {
    ...reads,
    get: held.get,
    all: flushed(reads.all),
    total: (of, accountId, start) =>
      addedTo(reads.total(of, accountId, start), [additions.totalOf(of, accountId, start)]),
    ask: flushed(reads.ask),
    lock: held.get,
    changeCount: () => changeCount,
    flush,
    forget() {
      additions.take();
      held.clear();
    },
    write(into: Table<never>, row: Values, { key, isNew, refusal }: Written) {
      const accountId = row[0] as number;
      const before = isNew ? null : held.get(into, accountId, key);
      changeCount++;
      try {
        const statement = writing(into, row, before);
        if (statement !== null) prepare(statement.text).run(...statement.values);
      } catch (error) {
        throw isUniqueFault(error) ? refusal(brokenIn(into, error)) : error;
      }
      held.keep(into, accountId, key, row);
    },
    remove(from: Table<never>, accountId: number, key: Key) {
      changeCount++;
      prepare(recordStatements(from, SQLITE).remove).run(accountId, ...key);
      held.keep(from, accountId, key, null);
    },
    run: flushed(({ text, values }) => {
      changeCount++;
      held.clear();
      return Number(prepare(text).run(...values).changes);
    }),
    define(text) {
      flush();
      changeCount++;
      held.clear();
      db.exec(text);
    },
    addUp(more) {
      changeCount++;
      additions.include(more);
    },
  };
}

const UNIQUE_FAULT = /^UNIQUE constraint failed: (.*)/;

function isUniqueFault(error: unknown): error is Error {
  return error instanceof Error && UNIQUE_FAULT.test(error.message);
}

/**
 * The name of the violated constraint, from the columns in SQLite's message, or null for the record's own
 * key.
 */
function brokenIn(into: Table<never>, { message }: Error): string | null {
  const table = sqlName(into);
  const columns = UNIQUE_FAULT.exec(message)![1]!.split(", ").slice(1);
  const found = Object.entries<readonly string[]>(into.unique).find(
    ([, on]) => on.map((column) => `${table}.${column}`).join() === columns.join(),
  );
  return found?.[0] ?? null;
}
