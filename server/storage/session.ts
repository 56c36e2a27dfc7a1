import type { Statement, Dialect } from "./sql.ts";
import type { Addition, SumTable } from "./sums.ts";
import type { ColumnValue, Key, Table } from "./table.ts";

/** SQLite returns values, Postgres promises. */
export type MaybePromise<T> = T | Promise<T>;

/** Reads documents and rows, from what is committed or as a transaction sees them. */
export interface Reads {
  dialect: Dialect;
  /** The document of a record, or null. */
  get(from: Table<never>, accountId: number, key: Key): MaybePromise<string | null>;
  /** The document of the record that has these unique values, or null. */
  find(from: Table<never>, unique: string, accountId: number, values: Key): MaybePromise<string | null>;
  /** The rows that a statement selects, each as an array. */
  all(statement: Statement): MaybePromise<ColumnValue[][]>;
  /** The sums over the rows of an account whose keys begin with these values. */
  total(of: SumTable, accountId: number, start: Key): MaybePromise<number[]>;
  /** The rows that a question selects, by the names of their columns. It may take long, so it runs beside other work. */
  ask(question: Statement): MaybePromise<Record<string, ColumnValue>[]>;
}

/** Reads of one moment, whatever is written meanwhile. They hold a connection until they are closed. */
export interface Snapshot extends Reads {
  close(): Promise<void>;
}

/** What the caller says of a row that it writes. */
export interface Written {
  key: Key;
  /** Whether the table is known to have no such row. */
  isNew: boolean;
  /** Makes the error to throw if another record has one of its unique values. null: it has the same key. */
  refusal: (unique: string | null) => Error;
}

/** A transaction of an engine. */
export interface Session extends Reads {
  /**
   * Reads a record that a decision depends on. No other transaction commits to its account before this one has ended, so what
   * this one lists and counts from then on stays true.
   */
  lock(from: Table<never>, accountId: number, key: Key): MaybePromise<string | null>;
  write(into: Table<never>, row: ColumnValue[], written: Written): MaybePromise<void>;
  remove(from: Table<never>, accountId: number, key: Key): MaybePromise<void>;
  /** Runs a statement that changes something. Resolves to the number of changed rows. */
  run(statement: Statement): MaybePromise<number>;
  /** Runs a statement that changes a table or makes an index. It may take long. */
  define(text: string): MaybePromise<void>;
  /** Adds to rows of tables of sums. They come in an order in which no two transactions wait for each other. */
  addUp(additions: readonly Addition[]): MaybePromise<void>;
}

/** A database with its connections. */
export interface Engine {
  dialect: Dialect;
  /** Reads what is committed. */
  reads: Reads;
  /** Opens reads of this moment. The reader may be slow, for example when it writes to a pipe. */
  snapshot(): Promise<Snapshot>;
  /**
   * Runs work whose writes are committed together, durably, when the promise resolves. Work may run more than once.
   *
   * @throws the errors of `work`; nothing is written then
   */
  transact<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** A new id for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /** Whether the last commit of this process found no room on the disk. */
  lacksRoom(): boolean;
  /** Whether another process uses the store now: a server or a command, of any release. Ask before the first transaction. */
  isShared(): Promise<boolean>;
  /** How large the store is. null: it is in memory, or its size is not known. */
  size(): Promise<StoreSize | null>;
  /** Why commits are less durable than promised, in sentences. Absent: they never are. */
  weaknesses?(): Promise<string[]>;
  /** Reads of a standby, so that the primary has less to do. null: no standby is fresh enough. */
  aged?(): Promise<AgedReads | null>;
  /** Where servers on several machines count limits together. Absent: all servers of the store are on one machine. */
  limits?: LimitsDatabase;
  /** Copies the store into an empty folder while any process uses it. For engines that keep files. */
  backup?(folder: string): Promise<void>;
  /** Reads all files and lists what is damaged, in the words of the engine. */
  damage?(): Promise<string[]>;
  close(): Promise<void>;
}

/** The database where all servers of a store count their limits. */
export interface LimitsDatabase {
  table: string;
  query(statement: { text: string; values: unknown[] }): Promise<unknown>;
}

/** Reads of data that may be a moment old. */
export interface AgedReads {
  reads: Reads;
  /** The data has everything that was committed before this time. */
  ageSeconds: number;
}

/** How large a store is, in bytes. */
export interface StoreSize {
  bytes: number;
  /** The write-ahead log. null: its size is not known. */
  logBytes: number | null;
}
