import { MINUTE_MS, type Database } from "./database.ts";

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
export function newLog(db: Database): Log {
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
