import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type DatabaseSyncInstance } from "@photostructure/sqlite";
import { Failure } from "../../../failure.ts";
import { giveToFolderOwner } from "../../owner.ts";
import { CUT_OFF, isBusy, openingFault } from "./faults.ts";

/** A connection to a store's file. Rows are returned as arrays. */
export type Database = DatabaseSyncInstance;

const FILE = "tidemark.db";
const OWNER_ONLY = 0o600;
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

/** Creates the file if it is missing. Only its owner can read it and its log. */
export function makeFile(folder: string): string {
  const file = fileIn(folder);
  const isNew = !existsSync(file);
  closeSync(openSync(file, "a", OWNER_ONLY));
  // SQLite gives the log to the same owner.
  if (isNew) giveToFolderOwner(file);
  return file;
}

/** Opens a connection whose commits are on disk when they return. */
export function connect(file: string, { isReadOnly = false }: { isReadOnly?: boolean } = {}): Database {
  const db = new DatabaseSync(file, { timeout: BUSY_MS, returnArrays: true, readOnly: isReadOnly });
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
  /** A warning that the file was copied without its log, or null. */
  missingLog: string | null;
}

/**
 * Opens a process's first connection, and creates the table in an empty file.
 *
 * @throws Error in one sentence for a file that is damaged or belongs to another program
 */
export function openDatabase(folder: string): OpenFile {
  const file = makeFile(folder);
  try {
    refuseEmptied(file);
    const hasLog = sizeOf(`${file}-wal`) > 0;
    const db = connect(file);
    if (applicationOf(db) !== APPLICATION_ID) makeTable(db, file);
    refuseCutOff(db, file);
    db.prepare("select key from items limit 1").get();
    return { db, missingLog: missingLog(db, { file, hasLog }) };
  } catch (error) {
    throw openingFault(error, file);
  }
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

/** Several processes may do this at the same time. */
function makeTable(db: Database, file: string): void {
  refuseForeign(db, file);
  writeAhead(db);
  db.exec("begin immediate");
  if (applicationOf(db) !== APPLICATION_ID) {
    db.exec("create table items (key text primary key, value text not null) without rowid");
    db.exec(`pragma application_id = ${APPLICATION_ID}`);
  }
  db.exec("commit");
}

/** Otherwise a new store would begin in a file that lost everything. */
function refuseEmptied(file: string): void {
  // The log is checked first: another process that creates the store writes the log before the file.
  if (sizeOf(`${file}-wal`) > 0 && sizeOf(file) === 0) throw new Error(CUT_OFF);
}

/** Missing pages would be noticed only when they are read. */
function refuseCutOff(db: Database, file: string): void {
  const [bytes] = db
    .prepare("select page_count * page_size from pragma_page_count, pragma_page_size")
    .get() as [number];
  // The log is checked first: another process may be moving its pages into the file.
  if (sizeOf(`${file}-wal`) + sizeOf(file) < bytes) throw new Error(CUT_OFF);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** One statement reads both, because another process may be creating the table. */
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

function applicationOf(db: Database): number {
  return (db.prepare("pragma application_id").get() as [number])[0];
}
