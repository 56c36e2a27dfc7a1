import type { Seal } from "../seal.ts";
import type { Statement, Dialect } from "./sql.ts";
import type { Addition, SumTable } from "./sums.ts";
import type { ColumnValue, Key, Table } from "./table.ts";

/** The values of a row, in the order of its table's columns. */
export type Values = readonly ColumnValue[];

/** SQLite returns values, Postgres promises. */
export type MaybePromise<T> = T | Promise<T>;

/** Reads rows: committed ones, or those that a transaction sees. */
export interface Reads {
  dialect: Dialect;
  /** The row of a record, or null. */
  get(from: Table<never>, accountId: number, key: Key): MaybePromise<Values | null>;
  /** The row of the record that has these unique values, or null. */
  find(from: Table<never>, unique: string, accountId: number, values: Key): MaybePromise<Values | null>;
  /** The rows that a statement selects, each as an array. */
  all(statement: Statement): MaybePromise<ColumnValue[][]>;
  /** The sums over the rows of an account whose keys begin with these values. */
  total(of: SumTable, accountId: number, start: Key): MaybePromise<number[]>;
  /**
   * The rows that a query selects, by column name. It may take long, so it runs in parallel with other work.
   */
  ask(query: Statement): MaybePromise<Record<string, ColumnValue>[]>;
}

/** Reads of a single moment, unaffected by later writes. They hold a connection until they are closed. */
export interface Snapshot extends Reads {
  close(): Promise<void>;
}

/** How the caller wants a row to be written. */
export interface Written {
  key: Key;
  /** Whether the table is known to have no such row. */
  isNew: boolean;
  /** Makes the error to throw if another record has one of the unique values, or the same key (null). */
  refusal: (unique: string | null) => Error;
}

/** A transaction of an engine. */
export interface Session extends Reads {
  /**
   * Reads a record that a decision depends on. No other transaction commits to its account before this one
   * has ended, so its lists and counts stay true from then on.
   */
  lock(from: Table<never>, accountId: number, key: Key): MaybePromise<Values | null>;
  write(into: Table<never>, row: Values, written: Written): MaybePromise<void>;
  remove(from: Table<never>, accountId: number, key: Key): MaybePromise<void>;
  /** Runs a statement that changes something. Resolves to the number of changed rows. */
  run(statement: Statement): MaybePromise<number>;
  /** Runs a statement that creates or changes a table or an index. It may take long. */
  define(text: string): MaybePromise<void>;
  /** Adds to rows of tables of sums, in an order that prevents deadlocks. */
  addUp(additions: readonly Addition[]): MaybePromise<void>;
}

/** A database with its connections. */
export interface Engine {
  dialect: Dialect;
  /** Opens and seals secrets. Absent: the process has no keys. */
  seal?: Seal;
  /** Reads what is committed. */
  reads: Reads;
  /** Opens reads of the present moment. The reader may be slow, for example when it writes to a pipe. */
  snapshot(): Promise<Snapshot>;
  /**
   * Runs work whose writes are committed together. They are durable when the promise resolves. The work may
   * run more than once.
   *
   * @throws the errors of `work`; nothing is written then
   */
  transact<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** A new id for a kind of record. Ids grow, with gaps. */
  nextId(kind: string): Promise<number>;
  /** Whether this process's last commit failed for lack of disk space. */
  lacksRoom(): boolean;
  /**
   * Whether another process uses the store now: a server or a command, of any release. Call it before the
   * first transaction.
   */
  isShared(): Promise<boolean>;
  /** The store's size, or null if it is in memory or unknown. */
  size(): Promise<StoreSize | null>;
  /** Sentences on why commits are less durable than promised. Absent: they never are. */
  weaknesses?(): Promise<string[]>;
  /** Why hosts that accept writes are not written to, in sentences. Absent: there is one host. */
  refusedHosts?(): string[];
  /** Whether nothing is committed without a synchronous standby. */
  needsStandby?: boolean;
  /** Handles a request that has just arrived, whose changes get a deadline. Absent: no change waits for long. */
  handleInTime?<T>(handle: () => T | Promise<T>): Promise<T>;
  /** Where servers on several machines share their rate limits. Absent: all servers are on one machine. */
  limits?: LimitsDatabase;
  /** Copies the store into an empty folder while other processes use it. For engines that keep files. */
  backup?(folder: string): Promise<void>;
  /** Reads all files and lists the damage, in the engine's words. */
  damage?(): Promise<string[]>;
  close(): Promise<void>;
}

/** The database in which all servers of a store count rate limits. */
export interface LimitsDatabase {
  table: string;
  query(statement: { text: string; values: unknown[] }): Promise<unknown>;
}

/** A store's size in bytes. */
export interface StoreSize {
  bytes: number;
  /** The write-ahead log, or null if its size is unknown. */
  logBytes: number | null;
}
