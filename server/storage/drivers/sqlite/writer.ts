import { applyBatch } from "../../batch.ts";
import type { Changes } from "../../driver.ts";
import { connect, MINUTE_MS, waitFor, type Database } from "./database.ts";

/** Changed keys after which the log is written back into the file, and how long that waits for readers. */
const CHANGES_PER_CHECKPOINT = 4_000;
const CHECKPOINT_WAIT_MS = 50;
/** How often the file is marked at least, and the pause after a try that readers kept from being complete. */
const MARK_MS = 10 * 60 * 1_000;
const MARK_AGAIN_MS = 10_000;

/** Writes to a store's file. It runs on the writer's thread, because it waits for the disk. */
export interface Writer {
  /** Commits a batch and says for each commit whether its checks passed. */
  write(batch: readonly Changes[]): boolean[];
  /** Writes the log back into the file and marks it: at first, when the log has grown, and now and then. */
  tidy(): void;
  /** Writes the whole log back, unless other processes still read from it. */
  close(): void;
}

/** Makes a writer with its own connection. */
export function newWriter(file: string): Writer {
  const db = connect(file, 0);
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const get = db.prepare("select value from items where key = ?");
  const put = db.prepare(
    "insert into items (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
  );
  const remove = db.prepare("delete from items where key = ?");
  let changeCount = 0;
  const log = newLog(db);

  return {
    write(batch) {
      waitFor(() => begin.run());
      try {
        const results = apply(batch);
        commit.run();
        return results;
      } catch (error) {
        rollBack(db);
        throw error;
      }
    },
    tidy() {
      if (log.writeBack({ isLong: changeCount >= CHANGES_PER_CHECKPOINT })) changeCount = 0;
    },
    close() {
      log.close();
      db.close();
    },
  };

  /** Each key is read and written once for the whole batch, because many commits touch the same keys. */
  function apply(batch: readonly Changes[]): boolean[] {
    const texts = new Map<string, string | undefined>();
    const changed = new Set<string>();
    const change = (key: string, text: string | undefined) => {
      texts.set(key, text);
      changed.add(key);
    };
    const results = applyBatch(
      batch.map((changes) => ({ changes })),
      {
        get(key) {
          if (!texts.has(key)) texts.set(key, (get.get(key) as [string] | undefined)?.[0]);
          return texts.get(key);
        },
        put: change,
        remove: (key) => change(key, undefined),
      },
    );
    for (const key of changed) {
      const text = texts.get(key);
      if (text === undefined) remove.run(key);
      else put.run(key, text);
    }
    changeCount += changed.size;
    return results;
  }
}

/** The log of a file, and the mark that the file has without it. */
function newLog(db: Database) {
  let markDueAt = -Infinity;
  let isMarked = false;

  function unmark(): void {
    isMarked = isMarked && !setMark(db, 0);
  }

  return {
    /** Writes the log back if it is long or the mark is due, and returns whether it tried. */
    writeBack({ isLong }: { isLong: boolean }): boolean {
      unmark();
      const now = performance.now();
      if (!isLong && now < markDueAt) return false;
      isMarked = setMark(db, minutesSince1970());
      const isComplete = checkpoint(db, "restart");
      unmark();
      markDueAt = now + (isComplete ? MARK_MS : MARK_AGAIN_MS);
      return true;
    },
    close(): void {
      unmark();
      // A copy of the file of a stopped server is then complete.
      checkpoint(db, "truncate");
    },
  };
}

/**
 * Waits a little for readers to move on, because the log restarts only when all of them have read to its end. Returns
 * whether the file has everything.
 */
function checkpoint(db: Database, mode: "restart" | "truncate"): boolean {
  db.exec(`pragma busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  try {
    const [, logged, copied] = db.prepare(`pragma wal_checkpoint(${mode})`).get() as [number, number, number];
    return logged === copied;
  } catch {
    // The disk is full or the file damaged. Commits fail with that error, and the log keeps the changes that don't
    // fit into the file.
    return false;
  } finally {
    db.exec("pragma busy_timeout = 0");
  }
}

/**
 * Marks the file before its log is written back, and takes the mark away after that: the file alone then has the mark, and the
 * file with its log has none. @see `missingLog`
 */
function setMark(db: Database, mark: number): boolean {
  try {
    waitFor(() => db.exec(`pragma user_version = ${mark}`));
    return true;
  } catch {
    return false; // tried again after the next commit
  }
}

/** The mark has 31 bits. */
function minutesSince1970(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}

function rollBack(db: Database): void {
  // A fault of the disk may have rolled it back already.
  if (db.isTransaction) db.exec("rollback");
}
