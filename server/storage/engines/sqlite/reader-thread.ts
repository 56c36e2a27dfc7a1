import { parentPort, workerData } from "node:worker_threads";
import type { Statement } from "../../sql.ts";
import type { ColumnValue } from "../../table.ts";
import { connect } from "./database.ts";
import { resultCode } from "./faults.ts";
import { readsOn } from "./statements.ts";

/** A thread answers questions on a connection of its own, so that a report never stops a sign-up. */

/** What a question selects, or why SQLite could not answer it. An error would lose its code on the way. */
export type Answer = { rows: Record<string, ColumnValue>[] } | { fault: string; errcode: number | null };

const db = connect((workerData as { file: string }).file, { isReadOnly: true });
const reads = readsOn(db);
const port = parentPort!;

// null: no question will follow.
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
