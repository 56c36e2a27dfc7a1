import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { NOTHING, type Changes } from "../../driver.ts";
import { unavailable } from "./faults.ts";
import type { Order, Outcome } from "./thread.ts";

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
    const started = new Worker(new URL("./sqlite-thread.js", import.meta.url), { workerData: file });
    started.on("message", settle);
    return started;
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

function order(thread: Worker, what: Order): void {
  thread.postMessage(what);
}

function faultOf({ fault, isPassing }: { fault: string; isPassing: boolean }): Error {
  const cause = new Error(fault);
  return isPassing ? unavailable(cause) : cause;
}
