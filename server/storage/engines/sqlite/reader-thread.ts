import { parentPort, workerData } from "node:worker_threads";
import type { Statement } from "../../sql.ts";
import type { ColumnValue } from "../../table.ts";
import { connect } from "./database.ts";
import { resultCode } from "./faults.ts";
import { readsOn } from "./statements.ts";

/** A thread runs queries on a connection of its own, so that a report never blocks a sign-up. */

/**
 * The rows of a query, or the reason why SQLite failed. An error object would lose its code between threads.
 */
export type Answer = { rows: Record<string, ColumnValue>[] } | { fault: string; errcode: number | null };

const db = connect((workerData as { file: string }).file, { isReadOnly: true });
const reads = readsOn(db);
const port = parentPort!;

// Null: no query will follow.
port.on("message", (question: Statement | null) => {
  if (question !== null) {
    port.postMessage(answer(question));
    return;
  }
  db.close();
  port.close();
});

function answer(question: Statement): Answer {
  try {
    return { rows: reads.ask(question) as Record<string, ColumnValue>[] };
  } catch (error) {
    return { fault: (error as Error).message, errcode: resultCode(error) };
  }
}
