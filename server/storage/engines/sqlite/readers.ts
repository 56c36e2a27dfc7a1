import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Statement } from "../../sql.ts";
import type { ColumnValue } from "../../table.ts";
import { refusalOf } from "./faults.ts";
import type { Answer } from "./reader-thread.ts";

/** Concurrent queries. Further ones wait. */
const THREADS = 2;

/** Threads that run queries on a store's file. */
export interface Readers {
  ask(question: Statement): Promise<Record<string, ColumnValue>[]>;
  /** Resolves when all queries are answered and the threads have ended. */
  close(): Promise<void>;
}

interface Waiting {
  question: Statement;
  settle(answer: Answer): void;
  fail(error: unknown): void;
}

/**
 * Makes threads for a file, started by the first queries. They end by themselves, because terminating a
 * thread while SQLite works ends the whole process. Thread pools terminate theirs.
 */
export function newReaders(file: string): Readers {
  const waiting: Waiting[] = [];
  const threads = new Map<Worker, Waiting | null>();
  const asked = new Set<Promise<Answer>>();

  return {
    async ask(question) {
      const answering = new Promise<Answer>((settle, fail) => {
        waiting.push({ question, settle, fail });
        giveOut();
      });
      asked.add(answering);
      const answer = await answering.finally(() => asked.delete(answering));
      if ("rows" in answer) return answer.rows;
      const { fault, errcode } = answer;
      throw refusalOf(Object.assign(new Error(fault), errcode !== null && { errcode }), {
        file,
        what: "read",
      });
    },
    async close() {
      await Promise.allSettled(asked);
      const ends = [...threads.keys()].map((thread) => once(thread, "exit"));
      for (const thread of threads.keys()) {
        thread.ref();
        thread.postMessage(null);
      }
      await Promise.all(ends);
    },
  };

  function giveOut(): void {
    if (waiting.length === 0) return;
    const thread = idle() ?? (threads.size < THREADS ? start() : undefined);
    if (thread === undefined) return;
    const next = waiting.shift()!;
    threads.set(thread, next);
    thread.ref();
    thread.postMessage(next.question);
  }

  function idle(): Worker | undefined {
    return [...threads].find(([, current]) => current === null)?.[0];
  }

  function start(): Worker {
    // The build puts the thread's file beside this bundle.
    const thread = new Worker(new URL("./sqlite-reader.js", import.meta.url), { workerData: { file } });
    thread.on("message", (answer: Answer) => {
      threads.get(thread)?.settle(answer);
      threads.set(thread, null);
      // The process may end while no query is running.
      thread.unref();
      giveOut();
    });
    thread.on("error", (error) => {
      threads.get(thread)?.fail(error);
      threads.delete(thread);
      giveOut();
    });
    return thread;
  }
}
