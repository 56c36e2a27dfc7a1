import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Statement } from "../../sql.ts";
import type { ColumnValue } from "../../table.ts";
import { refusalOf } from "./faults.ts";
import type { Answer } from "./reader-thread.ts";

/** Questions that are answered at the same time. The others wait. */
const THREADS = 2;

/** Threads that answer questions about a store's file. */
export interface Readers {
  ask(question: Statement): Promise<Record<string, ColumnValue>[]>;
  /** Resolves when all questions are answered and the threads have ended. */
  close(): Promise<void>;
}

interface Waiting {
  question: Statement;
  settle(answer: Answer): void;
  fail(error: unknown): void;
}

/**
 * Makes threads for a file. Questions start them. They end by themselves, because the binding ends the whole process when a
 * thread is terminated while SQLite works. Pools of threads terminate theirs.
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
    // The build puts the thread's file beside the bundle of this one.
    const thread = new Worker(new URL("./sqlite-reader.js", import.meta.url), { workerData: { file } });
    thread.on("message", (answer: Answer) => {
      threads.get(thread)?.settle(answer);
      threads.set(thread, null);
      // A process may end while no question is open.
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
