import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { NOTHING, type Changes } from "../../driver.ts";
import { isWantOfRoom, refusalOf, resultCode } from "./faults.ts";
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
  /** Whether the last commit found no room. */
  lacksRoom(): boolean;
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
  let lacksRoom = false;
  const waitForThread = () => waitUntilNone(unfinished);

  return {
    commit,
    lacksRoom: () => lacksRoom,
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
    const changes = running.map((commit) => commit.changes);
    order((thread ??= start()), changes);
  }

  function start(): Worker {
    // The build puts the thread's file beside the bundle of this one.
    const workerData: ThreadData = { file, unfinished };
    const started = new Worker(new URL("./sqlite-thread.js", import.meta.url), { workerData });
    started.on("message", settle);
    started.on("error", (error) => {
      // Without a listener, a fault of the thread would end the process.
      process.off("exit", waitForThread);
      Atomics.store(unfinished, 0, 0);
      thread = undefined;
      settle({ fault: error.message, errcode: resultCode(error) });
    });
    process.on("exit", waitForThread);
    return started;
  }

  function order(to: Worker, what: Order): void {
    Atomics.add(unfinished, 0, 1);
    to.postMessage(what);
  }

  function settle(outcome: Outcome): void {
    const batch = running;
    running = [];
    if (pending.length > 0) handOver();
    onCommit();
    if ("fault" in outcome) {
      const fault = faultOf(outcome);
      lacksRoom = isWantOfRoom(fault);
      const refusal = refusalOf(fault, { file, what: "written to" });
      for (const { reject } of batch) reject(refusal);
      return;
    }
    // A commit whose checks failed wrote nothing, so it says nothing about the room.
    if (outcome.results.includes(true)) lacksRoom = false;
    batch.forEach(({ resolve }, at) => resolve(outcome.results[at] === true));
  }
}

/** An exit ends the thread, and the process would abort if that happened inside SQLite's native code. */
function waitUntilNone(unfinished: Int32Array<SharedArrayBuffer>): void {
  for (let count; (count = Atomics.load(unfinished, 0)) > 0;) {
    if (Atomics.wait(unfinished, 0, count, EXIT_WAIT_MS) === "timed-out") return;
  }
}

/** The error of the writer's thread, with its code. */
function faultOf({ fault, errcode }: { fault: string; errcode: number | null }): Error {
  return Object.assign(new Error(fault), errcode !== null && { errcode });
}
