import Tinypool from "tinypool";
import type { ColumnValue } from "../../table.ts";
import { refusalOf } from "./faults.ts";
import type { Answer } from "./reader-thread.ts";
import type { Statement } from "../../sql.ts";

/** Questions that are answered at the same time. The others wait. */
const THREADS = 2;

/** Threads that answer questions about a store's file. */
export interface Readers {
  ask(question: Statement): Promise<Record<string, ColumnValue>[]>;
  close(): Promise<void>;
}

/** Makes threads for a file. The first question starts them. */
export function newReaders(file: string): Readers {
  let pool: Tinypool | undefined;
  return {
    async ask({ text, values }) {
      pool ??= new Tinypool({
        // The build puts the thread's file beside the bundle of this one.
        filename: new URL("./sqlite-reader.js", import.meta.url).href,
        name: "answer",
        minThreads: 1,
        maxThreads: THREADS,
        workerData: { file },
      });
      const answer = (await pool.run({ text, values })) as Answer;
      if ("rows" in answer) return answer.rows;
      const { fault, errcode } = answer;
      throw refusalOf(Object.assign(new Error(fault), errcode !== null && { errcode }), {
        file,
        what: "read",
      });
    },
    async close() {
      const ending = pool;
      pool = undefined;
      await ending?.destroy();
    },
  };
}
