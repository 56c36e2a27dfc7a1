import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Session } from "../../session.ts";
import type { Database } from "./database.ts";
import { isBusy } from "./faults.ts";
import { sessionOn } from "./statements.ts";

/** How long a commit waits for other processes, and the longest pause between attempts. */
const WAIT_MS = 8_000;
const MAX_PAUSE_MS = 2;

/** Transactions in one commit. The event loop is blocked while they run. */
const MOST_JOBS = 64;

interface Job {
  /** Runs the work, and keeps its outcome until the commit is durable. */
  run(session: Session): Promise<void>;
  /** Passes the outcome to the caller, or the fault of the commit if there was one. */
  settle(fault: { error: unknown } | null): void;
  hasFailed(): boolean;
}

/** Runs transactions one after another. */
export interface Committer {
  transact<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Whether a commit is open, so that a statement on the connection becomes part of it. */
  isOpen(): boolean;
  close(): Promise<void>;
}

interface Watching {
  /** Throws if the file that is written to was deleted or replaced. */
  requireFile(): void;
  /** One transaction was undone; the commit continues. */
  onUndone(): void;
  /** Everything since the commit began was undone. */
  onRollback(): void;
  onCommit(fault: unknown): void;
}

/**
 * Transactions that arrive at about the same time run one after another and share one commit, because a
 * commit waits for the disk. Their work awaits only this connection, so no other code runs in between.
 */
export function newCommitter(db: Database, watching: Watching): Committer {
  const runAll = newRunner(db, watching);
  const pending: Job[] = [];
  let running: Promise<void> | null = null;

  return {
    transact: (work) =>
      new Promise((resolve, reject) => {
        pending.push(newJob(work, resolve, reject));
        running ??= runPending();
      }),
    isOpen: () => db.isTransaction,
    async close() {
      for (let last = running; last !== null; last = running) await last;
    },
  };

  async function runPending(): Promise<void> {
    while (pending.length > 0) {
      await gather();
      const jobs = pending.splice(0, MOST_JOBS);
      const fault = await runAll(jobs).then(
        () => null,
        (error: unknown) => ({ error }),
      );
      watching.onCommit(fault?.error);
      for (const job of jobs) job.settle(fault);
    }
    running = null;
  }

  /**
   * Waits until a turn of the event loop brings no more. A turn accepts a single connection, however many
   * wait.
   */
  async function gather(): Promise<void> {
    for (let known = 0; known < pending.length && pending.length < MOST_JOBS;) {
      known = pending.length;
      await nextTurn();
    }
  }
}

/** Returns the function that runs jobs and commits them together. */
function newRunner(
  db: Database,
  { requireFile, onUndone, onRollback }: Watching,
): (jobs: Job[]) => Promise<void> {
  const session = sessionOn(db);
  const [begin, commit] = [db.prepare("begin immediate"), db.prepare("commit")];
  const [mark, keep, undo] = ["savepoint job", "release job", "rollback to job"].map((text) =>
    db.prepare(text),
  );
  return (jobs) => runAll(jobs);

  /**
   * `isCareful`: each transaction's writes can be undone alone. The savepoints for that cost time, and few
   * transactions fail after writing. If one does, all run again with them.
   */
  async function runAll(jobs: Job[], { isCareful = false } = {}): Promise<void> {
    await waitFor(() => begin.run());
    session.forget();
    try {
      requireFile();
      for (const job of jobs) {
        const hasFailed = await (isCareful ? runMarked(job) : runOne(job));
        if (!hasFailed) continue;
        undoAll();
        if (jobs.length > 1) await runAll(jobs, { isCareful: true });
        return;
      }
      session.flush();
      commit.run();
      // What went into a deleted file must not be acknowledged.
      requireFile();
    } catch (error) {
      undoAll();
      throw error;
    }
  }

  function undoAll(): void {
    session.forget();
    // A disk fault may have rolled it back already.
    if (db.isTransaction) db.exec("rollback");
    onRollback();
  }

  /** Returns whether a job has failed after it wrote something. */
  async function runOne(job: Job): Promise<boolean> {
    const before = session.changeCount();
    await job.run(session);
    return job.hasFailed() && session.changeCount() !== before;
  }

  async function runMarked(job: Job): Promise<false> {
    mark!.run();
    await job.run(session);
    if (job.hasFailed()) {
      session.forget();
      undo!.run();
      onUndone();
    } else session.flush();
    keep!.run();
    return false;
  }
}

function newJob<T>(
  work: (session: Session) => Promise<T>,
  resolve: (result: T) => void,
  reject: (error: unknown) => void,
): Job {
  let outcome: { result: T } | { error: unknown } | undefined;
  return {
    async run(session) {
      try {
        outcome = { result: await work(session) };
      } catch (error) {
        outcome = { error };
      }
    },
    hasFailed: () => outcome !== undefined && "error" in outcome,
    settle(fault) {
      if (outcome !== undefined && "error" in outcome) reject(outcome.error);
      else if (fault !== null) reject(fault.error);
      else resolve(outcome!.result);
    },
  };
}

/** SQLite's own wait would block the whole process. */
async function waitFor(work: () => void): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}
