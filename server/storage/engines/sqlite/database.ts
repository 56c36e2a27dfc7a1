import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { Failure } from "../../../failure.ts";
import { MARK_QUERY, mayMakeTables } from "../../layout.ts";
import { ddl, SQLITE, sqlName } from "../../sql.ts";
import type { Makes } from "../../open.ts";
import { sumDdl, sumTablesOf } from "../../sums.ts";
import type { Table } from "../../table.ts";
import { makeWholeSync } from "../../whole-file.ts";
import { CUT_OFF, goneFault, isBusy, openingFault } from "./faults.ts";
import { keepDamagedLog } from "./log-damage.ts";

/** A connection to a store's file. Rows are returned as arrays. */
export type Database = DatabaseSyncInstance;

const FILE = "tidemark.db";
/**
 * "Tide" in ASCII: distinguishes our files from those of other programs.
 *
 * @see https://www.sqlite.org/pragma.html#pragma_application_id
 */
const APPLICATION_ID = 0x54696465;
/**
 * How long a statement waits for other processes. Readers wait only while another process opens or closes the
 * file.
 */
const BUSY_MS = 5_000;
/** How long `waitFor` retries, and its longest pause. */
const WAIT_MS = 5_000;
const MAX_PAUSE_MS = 2;
/** The unit of the mark that a file has without its log. */
export const MINUTE_MS = 60_000;
/** The page cache of a connection, in KiB. Ids that are hashes spread over whole indexes. */
const CACHE_KIB = 64 * 2 ** 10;
/** The write-ahead log shrinks to this size after it had to grow, for example during a backup. */
const LOG_BYTES = 64 * 2 ** 20;

/** The path of the store's file in a folder. */
export function fileIn(folder: string): string {
  return join(folder, FILE);
}

/** The error of a folder that has no store. */
export function noStore(folder: string): Error {
  return new Error(`there is no store in ${resolve(folder)}`);
}

/** Opens a connection to a file that exists, whose commits are on disk when they return. */
export function connect(file: string, { isReadOnly = false }: { isReadOnly?: boolean } = {}): Database {
  // Otherwise SQLite would make a deleted file anew, without any data.
  const existing = `${pathToFileURL(file).href}?mode=${isReadOnly ? "ro" : "rw"}`;
  const db = new DatabaseSync(existing, { timeout: BUSY_MS, returnArrays: true, readOnly: isReadOnly });
  if (isReadOnly) return db;
  // Only the writing connection makes checkpoints, between commits.
  // @see `newLog`
  db.exec("pragma synchronous = full; pragma wal_autocheckpoint = 0");
  db.exec(`pragma cache_size = ${-CACHE_KIB}`);
  // The data of an erased person must not remain in free pages of the file.
  db.exec("pragma secure_delete = on");
  db.exec(`pragma journal_size_limit = ${LOG_BYTES}`);
  return db;
}

/** A store's file, and what is known about it on opening. */
interface OpenFile {
  db: Database;
  file: string;
  place: Place;
  /** What the file has lost, in sentences. */
  losses: string[];
}

interface Opening {
  tables: readonly Table<never>[];
  makes: Makes;
}

/**
 * Opens a process's first connection.
 *
 * @throws Error in one sentence if there is no store, and for a file that is damaged or belongs to another program
 */
export function openDatabase(folder: string, { tables, makes }: Opening): OpenFile {
  const file = fileIn(folder);
  // The log is checked first: another process that creates the store makes the file before the log.
  const hasLog = sizeOf(`${file}-wal`) > 0;
  if (!existsSync(file)) {
    // SQLite would write the log of the former store into the new one.
    if (hasLog) throw new Error(whyMissing(file));
    if (makes !== "store") throw noStore(folder);
    makeWholeSync(file, (path) => fillNew(path, tables));
  }
  if (sizeOf(file) === 0) throw new Error(whyEmpty(file));
  try {
    const losses = keepDamagedLog(file);
    const db = connect(file);
    refuseForeign(db, file);
    if (makes !== "store" && !hasTables(db)) throw noStore(folder);
    if (makes !== "nothing" && isReadable(db)) makeTables(db, tables);
    refuseCutOff(db, file);
    openLog(db);
    const missing = missingLog(db, { file, hasLog });
    return {
      db,
      file,
      place: placeOf(file),
      losses: missing === null ? losses : [...losses, missing],
    };
  } catch (error) {
    throw openingFault(error, file);
  }
}

function whyMissing(file: string): string {
  return `${file} is missing, but its log is there: put it back or restore a backup, or remove ${FILE}-wal to begin a new store`;
}

function whyEmpty(file: string): string {
  return `${file} is empty, so what it held is lost: restore a backup, or remove the file to begin a new store`;
}

/**
 * Detects a file that was copied without its log. Servers mark the file before they write the log back into
 * it, and then remove the mark, which only the log records. So a file with the mark lacks its log, unless a
 * process died in between.
 */
function missingLog(db: Database, { file, hasLog }: { file: string; hasLog: boolean }): string | null {
  const [minutes] = db.prepare("pragma user_version").get() as [number];
  if (minutes === 0) return null;
  if (hasLog) {
    db.exec("pragma user_version = 0");
    return null;
  }
  const since = new Date(minutes * MINUTE_MS).toISOString().slice(0, 16);
  return (
    `${file} was copied from a running server without its log (${FILE}-wal): changes since ${since}Z may be missing. ` +
    "Copy with `tidemark backup`, or stop the servers first"
  );
}

/**
 * Fills the file of a new store, which is synced afterwards. Without prepared statements, because they keep a connection open
 * until they are garbage-collected.
 */
function fillNew(file: string, tables: readonly Table<never>[]): void {
  const db = connect(file);
  try {
    db.exec("pragma synchronous = off; begin");
    for (const statement of making(tables, new Set())) db.exec(statement);
    db.exec("commit; pragma journal_mode = wal");
  } finally {
    db.close();
  }
}

/** Creates the tables that a file lacks. Several processes may do this at the same time. */
function makeTables(db: Database, tables: readonly Table<never>[]): void {
  const missing = () => making(tables, namesIn(db));
  if (missing().length === 0) return;
  writeAhead(db);
  db.exec("begin immediate");
  for (const statement of missing()) db.exec(statement);
  db.exec("commit");
}

/** The statements that create what a file with tables of these names lacks. */
function making(tables: readonly Table<never>[], names: ReadonlySet<string>): string[] {
  const sums = sumTablesOf(tables).filter(({ name }) => !names.has(name));
  const missing = [
    ...tables.filter((table) => !names.has(sqlName(table))).flatMap((table) => ddl(table, SQLITE)),
    ...sums.map((each) => sumDdl(each, SQLITE, " without rowid")),
    ...(names.has("ids")
      ? []
      : ["create table ids (kind text primary key, next integer not null) without rowid"]),
  ];
  if (missing.length === 0) return [];
  const items = [
    "create table items (key text primary key, value text not null) without rowid",
    `pragma application_id = ${APPLICATION_ID}`,
  ];
  return [
    ...(names.has("items") ? [] : items),
    // It creates the statistics table, which is filled with each table and index.
    "analyze items",
    ...missing,
    // Makes this connection load the statistics.
    "analyze sqlite_schema",
  ];
}

function hasTables(db: Database): boolean {
  return namesIn(db).size > 0;
}

/** Whether this release can read the store, or there is none yet. */
function isReadable(db: Database): boolean {
  return !namesIn(db).has("items") || mayMakeTables(db.prepare(MARK_QUERY).get() as unknown[]);
}

function namesIn(db: Database): Set<string> {
  return new Set((db.prepare("select name from sqlite_master").all() as [string][]).flat());
}

/** Missing pages would be noticed only when they are read. */
function refuseCutOff(db: Database, file: string): void {
  const [bytes] = db
    .prepare("select page_count * page_size from pragma_page_count, pragma_page_size")
    .get() as [number];
  // The log is checked first: another process may be moving its pages into the file.
  if (sizeOf(`${file}-wal`) + sizeOf(file) < bytes) throw new Error(CUT_OFF);
}

/** The first read opens the log, and makes it if it is missing. */
function openLog(db: Database): void {
  db.prepare("select key from items limit 1").get();
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** One statement reads both, because another process may be creating the tables. */
function refuseForeign(db: Database, file: string): void {
  const tables = "(select count(*) from sqlite_master)";
  const [tableCount, id] = db
    .prepare(`select ${tables}, application_id from pragma_application_id`)
    .get() as [number, number];
  if (tableCount > 0 && id !== APPLICATION_ID)
    throw new Failure("refused", `${file} belongs to another program`);
}

/**
 * Whether any process has another connection open. Only the sole connection may leave WAL mode, which it then
 * enters again. No transaction may be open.
 */
export function isShared(db: Database): boolean {
  try {
    db.exec("pragma journal_mode = delete");
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
  writeAhead(db);
  openLog(db);
  return false;
}

/** Enters WAL mode. Here SQLite does not wait for other connections, despite its time limit. */
function writeAhead(db: Database): void {
  waitFor(() => db.exec("pragma journal_mode = wal"));
}

/**
 * Retries while another connection is in the way. SQLite's own wait pauses for up to 100 ms, and other
 * processes commit again and again meanwhile.
 */
export function waitFor(work: () => void): void {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    try {
      work();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      pause(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/** Blocks the thread. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The place of a store's open file and of its log. */
export interface Place {
  /** @throws Failure `unavailable` if one of them was deleted or replaced since they were opened */
  require(): void;
  /** Does work that makes the log anew. */
  renewAfter<T>(work: () => T): T;
}

/** SQLite goes on in a deleted file, and everything that it writes there is lost in the end. */
function placeOf(file: string): Place {
  let opened = filesAt(file);
  return {
    require() {
      if (filesAt(file) !== opened) throw goneFault(file);
    },
    renewAfter(work) {
      if (filesAt(file) !== opened) throw goneFault(file);
      const result = work();
      opened = filesAt(file);
      return result;
    },
  };
}

/** What identifies the two files. A file that this process may no longer look at is none. */
function filesAt(file: string): string {
  const identity = (path: string) => {
    try {
      const { dev, ino } = statSync(path, { bigint: true });
      return `${dev}:${ino}`;
    } catch {
      return "none";
    }
  };
  return `${identity(file)} ${identity(`${file}-wal`)}`;
}
