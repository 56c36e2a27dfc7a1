import { applyBatch } from "../../batch.ts";
import type { Changes } from "../../driver.ts";
import { connect, type Database } from "./database.ts";
import { isBusy } from "./faults.ts";

/** How long a commit waits for those of other processes, and the longest pause between two attempts. */
const WAIT_MS = 5_000;
const MAX_PAUSE_MS = 2;
/** Changed keys after which the log is written back into the file, and how long that waits for readers. */
const CHANGES_PER_CHECKPOINT = 4_000;
const CHECKPOINT_WAIT_MS = 50;

/** Writes to a store's file. It runs on the writer's thread, because it waits for the disk. */
export interface Writer {
  /** Commits a batch and says for each commit whether its checks passed. */
  write(batch: readonly Changes[]): boolean[];
  /** Writes the log back into the file when it has grown. */
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
      if (changeCount < CHANGES_PER_CHECKPOINT) return;
      changeCount = 0;
      checkpoint(db, "restart");
    },
    close() {
      // A copy of the file of a stopped server is then complete.
      checkpoint(db, "truncate");
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

/** SQLite's own wait pauses for up to 100 ms, in which other processes commit again and again. */
function waitFor(work: () => void): void {
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

/**
 * Waits a little for readers to move on, because the log restarts only when all of them have read to its end.
 */
function checkpoint(db: Database, mode: "restart" | "truncate"): void {
  db.exec(`pragma busy_timeout = ${CHECKPOINT_WAIT_MS}`);
  try {
    db.exec(`pragma wal_checkpoint(${mode})`);
  } catch {
    // The disk is full or the file damaged. Commits fail with that error, and the log keeps the changes that don't
    // fit into the file.
  }
  db.exec("pragma busy_timeout = 0");
}

function rollBack(db: Database): void {
  // A fault of the disk may have rolled it back already.
  if (db.isTransaction) db.exec("rollback");
}

/** Blocks the thread. */
function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
