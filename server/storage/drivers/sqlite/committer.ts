import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { NOTHING, type Changes } from "../../driver.ts";
import { unavailable } from "./faults.ts";
import type { Order, Outcome, ThreadData } from "./thread.ts";

/** How long an exit waits for the commit that is under way. */
const EXIT_WAIT_MS = 5_000;

interface PendingCommit {
  changes: Changes;
  resolve: (isDone: boolean) => void;
  reject: (error: unknown) => void;
}

/** Commits on a thread. */
export interface Committer {
  commit(changes: Changes): Promise<boolean>;
  /** Waits for running commits and ends the thread. */
  close(): Promise<void>;
}

/**
 * Makes a committer on a file; its thread starts with the first commit. Commits that come in one turn of the
 * event loop, or while the thread is busy, go over together and share one sync of the disk.
 */
export function newCommitter(file: string, onCommit: () => void): Committer {
  const unfinished = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  let thread: Worker | undefined;
  let pending: PendingCommit[] = [];
  let running: PendingCommit[] = [];

  return {
    commit,
    async close() {
      // Commits finish in order, so this one waits for all others.
      if (pending.length + running.length > 0) await commit(NOTHING).catch(() => {});
      if (thread === undefined) return;
      const hasEnded = once(thread, "exit");
      order(thread, null);
      await hasEnded;
      process.off("exit", waitForThread);
    },
  };

  function commit(changes: Changes): Promise<boolean> {
    return new Promise((resolve, reject) => {
      pending.push({ changes, resolve, reject });
      if (pending.length === 1 && running.length === 0) setImmediate(handOver);
    });
  }

  function handOver(): void {
    running = pending;
    pending = [];
    thread ??= start();
    order(
      thread,
      running.map(({ changes }) => changes),
    );
  }

  function start(): Worker {
    // The build puts the thread's file beside the bundle of this one.
    const workerData: ThreadData = { file, unfinished };
    const started = new Worker(new URL("./sqlite-thread.js", import.meta.url), { workerData });
    started.on("message", settle);
    process.on("exit", waitForThread);
    return started;
  }

  function order(to: Worker, what: Order): void {
    Atomics.add(unfinished, 0, 1);
    to.postMessage(what);
  }

  /** An exit ends the thread, and the process would abort if that happened inside SQLite's native code. */
  function waitForThread(): void {
    for (let count; (count = Atomics.load(unfinished, 0)) > 0;) {
      if (Atomics.wait(unfinished, 0, count, EXIT_WAIT_MS) === "timed-out") return;
    }
  }

  function settle(outcome: Outcome): void {
    const batch = running;
    running = [];
    if (pending.length > 0) handOver();
    onCommit();
    if ("fault" in outcome) {
      const fault = faultOf(outcome);
      for (const { reject } of batch) reject(fault);
    } else batch.forEach(({ resolve }, at) => resolve(outcome.results[at] === true));
  }
}

function faultOf({ fault, isPassing }: { fault: string; isPassing: boolean }): Error {
  const cause = new Error(fault);
  return isPassing ? unavailable(cause) : cause;
}
