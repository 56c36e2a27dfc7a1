import { statSync } from "node:fs";
import { backup } from "@photostructure/sqlite";
import type { Makes } from "../../open.ts";
import { type Values, type Engine, type Reads, type Snapshot } from "../../session.ts";
import { SQLITE } from "../../sql.ts";
import type { Key, Table } from "../../table.ts";
import { makeWhole } from "../../whole-file.ts";
import { newCommitter, type Committer } from "./committer.ts";
import { connect, fileIn, isShared, MINUTE_MS, openDatabase, type Database, type Place } from "./database.ts";
import { isWantOfRoom, refusalOf, isDamage } from "./faults.ts";
import { newReaders } from "./readers.ts";
import { guardedReads, newHeld, type Prepared } from "./statements.ts";
import { blockLength, firstOfBlock } from "../../id-blocks.ts";

interface SqliteOptions {
  tables: readonly Table<never>[];
  makes?: Makes;
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
  { tables, makes = "store", isDurable = true, notify = () => {} }: SqliteOptions,
): Engine {
  const { db, file, place, losses } = openDatabase(folder, { tables, makes });
  if (!isDurable) db.exec("pragma synchronous = off");
  for (const loss of losses) notify(loss);
  // From now on commits wait without blocking the process.
  db.exec("pragma busy_timeout = 0");
  const reading = newReading(db, { file, place });
  const readers = newReaders(file);
  const log = newLog(db);
  let lacksRoom = false;
  const committer: Committer = newCommitter(db, {
    requireFile: place.require,
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
      ask: (question) => {
        reading.beginTurn();
        // A store that is never synced is for trials and tests, which need no threads.
        return isDurable && !question.isQuick ? readers.ask(question) : reading.reads().ask(question);
      },
    },
    snapshot: () => openSnapshot(file, place),
    transact: (work) => writing(() => committer.transact(work)),
    nextId: (kind) => writing(() => ids.nextId(kind)),
    lacksRoom: () => lacksRoom,
    isShared: async () => reading.isApart() || place.renewAfter(() => isShared(db)),
    backup: (target) => backUp(file, { target, place }),
    damage: async () => [...losses, ...damageIn(db)],
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
function newReading(db: Database, { file, place }: { file: string; place: Place }) {
  const own = guardedReads(db, file);
  let apart: { db: Database; reads: Reads } | undefined;
  const held = newHeld((from, accountId, key) => reads().get(from, accountId, key) as Values | null);
  let holds = false;

  /** Once in a turn of the event loop is enough to notice a deleted file soon. */
  function beginTurn(): void {
    if (holds) return;
    place.require();
    setImmediate(forget);
    holds = true;
  }

  function reads(): Reads {
    beginTurn();
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
    beginTurn,
    reads,
    /**
     * The requests of one turn of the event loop read the same keys and accounts, so each row is read
     * once in a turn, or until this process commits.
     */
    get(from: Table<never>, accountId: number, key: Key): Values | null {
      beginTurn();
      return held.get(from, accountId, key);
    },
    forget,
    isApart: () => apart !== undefined,
    close: () => apart?.db.close(),
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

const TAKE = `insert into ids (kind, next) values (?1, ${after("max(1, ?2)")})
  on conflict (kind) do update set next = ${after("max(next, ?2)")} returning next`;
const KEEP =
  "insert into ids (kind, next) values (?1, ?2) on conflict (kind) do update set next = max(next, ?2)";

/** Issues ids that no other process issues. */
interface IdSource {
  nextId(kind: string): Promise<number>;
  /** The undone work may have reserved blocks, which must not be issued again. */
  onUndone(): void;
  onRollback(): void;
  onCommit(): void;
}

/** Reserves blocks of ids in the file, on the writing connection. */
function newIdSource(db: Database, committer: () => Committer): IdSource {
  let prepared: { take: Prepared; keep: Prepared } | undefined;
  const statements = () => (prepared ??= { take: db.prepare(TAKE), keep: db.prepare(KEEP) });
  const blocks = new Map<string, { next: number; end: number }>();
  /** The ends of all blocks that this process has reserved, and of those of the open commit. */
  const ends = new Map<string, number>();
  let open: string[] = [];

  function takeBlock(kind: string): void {
    const [end] = statements().take.get(kind, ends.get(kind) ?? 1) as [number];
    blocks.set(kind, { next: firstOfBlock(end), end });
    ends.set(kind, end);
    open.push(kind);
  }

  return {
    async nextId(kind) {
      for (;;) {
        const block = blocks.get(kind);
        if (block !== undefined && block.next < block.end) return block.next++;
        // Inside a transaction, a separate one would wait for ever.
        if (committer().isOpen()) takeBlock(kind);
        else await committer().transact(async () => void (hasLeft(kind) || takeBlock(kind)));
      }
    },
    onUndone() {
      for (const kind of open) statements().keep.run(kind, ends.get(kind)!);
    },
    onRollback() {
      for (const kind of open) blocks.delete(kind);
      open = [];
    },
    onCommit() {
      open = [];
    },
  };

  function hasLeft(kind: string): boolean {
    const block = blocks.get(kind);
    return block !== undefined && block.next < block.end;
  }
}

/** The id after the block that begins with `first`. */
function after(first: string): string {
  return `${first} + ${blockLength(first, "min", "max")}`;
}

/**
 * More pages than any file has, so a backup is one step. One of several steps restarts whenever another
 * connection commits between them.
 */
const ALL_PAGES = 2 ** 31 - 1;

/** Copies the present state of a store into another folder, unaffected by writes meanwhile. */
async function backUp(file: string, { target, place }: { target: string; place: Place }): Promise<void> {
  place.require();
  const db = connect(file);
  try {
    await makeWhole(fileIn(target), (path) => backup(db, path, { rate: ALL_PAGES }));
  } catch (error) {
    throw refusalOf(error, { file, what: "written to" });
  } finally {
    db.close();
  }
}

/** Opens reads of the present moment, on a connection of their own. */
async function openSnapshot(file: string, place: Place): Promise<Snapshot> {
  place.require();
  const db = connect(file);
  const reads = guardedReads(db, file);
  db.exec("begin");
  // The first read fixes the moment.
  reads.all({ text: "select key from items limit 1", values: [] });
  return {
    ...reads,
    async close() {
      // A closed connection keeps its transaction open until its statements are garbage-collected.
      db.exec("rollback");
      db.close();
    },
  };
}

/** Lists the damage that SQLite finds in a file, one line each. It reads the whole file. */
function damageIn(db: Database): string[] {
  try {
    const rows = db.prepare("pragma integrity_check").all() as [string][];
    return rows.map(([line]) => line).filter((line) => line !== "ok");
  } catch (error) {
    // Some damage aborts the check itself.
    if (isDamage(error)) return [(error as Error).message];
    throw error;
  }
}

/** Changed rows after which the log is written back into the file, and how long that waits for readers. */
const CHANGES_PER_CHECKPOINT = 4_000;
const CHECKPOINT_WAIT_MS = 50;
/**
 * The longest time between marks of the file, and the pause after an attempt that readers kept incomplete.
 */
const MARK_MS = 10 * 60 * 1_000;
const MARK_AGAIN_MS = 10_000;

/** A file's log, and the mark that the file has without it. */
export interface Log {
  /** Writes the log back if it is long or the mark is due. No transaction may be open. */
  tidy(): void;
  /** Writes the whole log back and empties it, unless other processes still read from it. */
  empty(): void;
}

/** Maintains the log of the writing connection. */
function newLog(db: Database): Log {
  const changed = db.prepare("select total_changes()");
  let written = 0;
  let markDueAt = -Infinity;
  let isMarked = false;

  function unmark(): void {
    isMarked = isMarked && !setMark(db, 0);
  }

  return {
    tidy() {
      unmark();
      const now = performance.now();
      const [changes] = changed.get() as [number];
      if (changes - written < CHANGES_PER_CHECKPOINT && now < markDueAt) return;
      isMarked = setMark(db, minutesSince1970());
      const isComplete = checkpoint(db, "restart");
      unmark();
      markDueAt = now + (isComplete ? MARK_MS : MARK_AGAIN_MS);
      written = changes;
    },
    empty() {
      unmark();
      // A copy of a stopped server's file is then complete.
      checkpoint(db, "truncate");
    },
  };
}

/**
 * Waits briefly for readers to advance, because the log restarts only when all of them have read to its end.
 * Returns whether the file has everything.
 */
function checkpoint(db: Database, mode: "restart" | "truncate"): boolean {
  db.exec(`pragma busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  try {
    const [, logged, copied] = db.prepare(`pragma wal_checkpoint(${mode})`).get() as [number, number, number];
    return logged === copied;
  } catch {
    // The disk is full or the file damaged. Commits fail with that error, and the log keeps the changes that
    // don't fit into the file.
    return false;
  } finally {
    db.exec("pragma busy_timeout = 0");
  }
}

/**
 * Marks the file before its log is written back, and removes the mark afterwards: the file alone has the
 * mark, and the file with its log does not.
 *
 * @see `missingLog`
 */
function setMark(db: Database, mark: number): boolean {
  try {
    db.exec(`pragma user_version = ${mark}`);
    return true;
  } catch {
    return false; // retried after the next commit
  }
}

/** The mark has 31 bits. */
function minutesSince1970(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}
