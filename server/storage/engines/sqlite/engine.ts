import { statSync } from "node:fs";
import type { Engine, Reads } from "../../session.ts";
import { ddl, SQLITE, sqlName } from "../../sql.ts";
import { sumDdl, sumTablesOf } from "../../sums.ts";
import type { Key, Table } from "../../table.ts";
import { backUp, damageIn, openSnapshot } from "./copies.ts";
import { newCommitter, type Committer } from "./committer.ts";
import { connect, fileIn, isShared, openDatabase, type Database } from "./database.ts";
import { isWantOfRoom, refusalOf } from "./faults.ts";
import { newIdSource } from "./ids.ts";
import { newLog } from "./log.ts";
import { newReaders } from "./readers.ts";
import { guardedReads, newHeld } from "./statements.ts";

interface SqliteOptions {
  tables: readonly Table<never>[];
  /** Whether commits wait for the disk. */
  isDurable?: boolean;
  /** Receives notices for the operator. */
  notify?: (notice: string) => void;
}

/**
 * Keeps everything in a SQLite file in a folder, which any number of processes on this machine may share.
 * @throws Error in one sentence for a file that is damaged or belongs to another program
 */
export function sqliteEngine(
  folder: string,
  { tables, isDurable = true, notify = () => {} }: SqliteOptions,
): Engine {
  const { db, missingLog } = openDatabase(folder);
  if (!isDurable) db.exec("pragma synchronous = off");
  if (missingLog !== null) notify(missingLog);
  const file = fileIn(folder);
  makeTables(db, tables);
  // From now on commits wait without blocking the process.
  db.exec("pragma busy_timeout = 0");
  const reading = newReading(db, file);
  const readers = newReaders(file);
  const log = newLog(db);
  let lacksRoom = false;
  const committer: Committer = newCommitter(db, {
    onUndone: () => ids.onUndone(),
    onRollback: () => ids.onRollback(),
    onCommit(fault) {
      ids.onCommit();
      reading.forget();
      lacksRoom = fault !== undefined && isWantOfRoom(fault);
      log.tidy();
    },
  });
  const ids = newIdSource(db, () => committer);
  let closed: Promise<void> | undefined;
  return {
    dialect: SQLITE,
    reads: {
      dialect: SQLITE,
      get: reading.get,
      find: (...given) => reading.reads().find(...given),
      all: (statement) => reading.reads().all(statement),
      total: (...given) => reading.reads().total(...given),
      // A store that is never synced is for trials and tests, which need no threads.
      ask: (question) =>
        isDurable && !question.isQuick ? readers.ask(question) : reading.reads().ask(question),
    },
    snapshot: () => openSnapshot(file),
    transact: (work) => writing(() => committer.transact(work)),
    nextId: (kind) => writing(() => ids.nextId(kind)),
    lacksRoom: () => lacksRoom,
    isShared: async () => reading.isApart() || isShared(db),
    backup: (target) => backUp(file, target),
    emptyLog: () => writing(async () => log.empty()),
    damage: async () => [...(missingLog === null ? [] : [missingLog]), ...damageIn(db)],
    size: async () => ({ bytes: sizeOf(file), logBytes: sizeOf(`${file}-wal`) }),
    close: () =>
      (closed ??= (async () => {
        await committer.close();
        await readers.close();
        reading.close();
        log.empty();
        db.close();
      })()),
  };

  async function writing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw refusalOf(error, { file, what: "written to" });
    }
  }
}

/**
 * Reads committed data. This is faster on the writing connection, because its commits invalidate the cache of
 * every other connection. While its transaction is open, reads use a separate connection.
 */
function newReading(db: Database, file: string) {
  const own = guardedReads(db, file);
  let apart: { db: Database; reads: Reads } | undefined;
  const held = newHeld((from, accountId, key) => reads().get(from, accountId, key) as string | null);
  let holds = false;

  function reads(): Reads {
    return db.isTransaction ? (apart ??= openApart()).reads : own;
  }

  function openApart() {
    const connection = connect(file);
    return { db: connection, reads: guardedReads(connection, file) };
  }

  function forget(): void {
    holds = false;
    held.clear();
  }

  return {
    reads,
    /**
     * The requests of one turn of the event loop read the same keys and accounts, so each document is read
     * once in a turn, or until this process commits.
     */
    get(from: Table<never>, accountId: number, key: Key): string | null {
      if (!holds) setImmediate(forget);
      holds = true;
      return held.get(from, accountId, key);
    },
    forget,
    isApart: () => apart !== undefined,
    close: () => apart?.db.close(),
  };
}

const IDS = "create table ids (kind text primary key, next integer not null) without rowid";

/**
 * Creates the tables that a new file, or one of an earlier release, lacks. Several processes may do this at
 * the same time.
 */
function makeTables(db: Database, tables: readonly Table<never>[]): void {
  const missing = () => {
    const names = new Set((db.prepare("select name from sqlite_master").all() as [string][]).flat());
    const sums = sumTablesOf(tables).filter(({ name }) => !names.has(name));
    return [
      ...tables.filter((table) => !names.has(sqlName(table))).flatMap((table) => ddl(table, SQLITE)),
      ...sums.map((each) => sumDdl(each, SQLITE, " without rowid")),
      ...(names.has("ids") ? [] : [IDS]),
    ];
  };
  if (missing().length === 0) return;
  db.exec("begin immediate");
  // It creates the statistics table, which is filled with each table and index.
  db.exec("analyze items");
  for (const statement of missing()) db.exec(statement);
  // Makes this connection load the statistics.
  db.exec("analyze sqlite_schema");
  db.exec("commit");
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
