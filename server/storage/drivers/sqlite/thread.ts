import { parentPort, workerData } from "node:worker_threads";
import { isOutage } from "../../../failure.ts";
import type { Changes } from "../../driver.ts";
import { resultCode } from "./faults.ts";
import { newWriter, type Writer } from "./writer.ts";

/** A message to the writer's thread: commit a batch, or (null) end. */
export type Order = Changes[] | null;

/** The result of a batch. Errors lose their codes between threads. */
export type Outcome = { results: boolean[] } | { fault: string; errcode: number | null };

/** The data that the thread begins with. */
export interface ThreadData {
  file: string;
  /** Shared: the number of orders given and not yet carried out. */
  unfinished: Int32Array<SharedArrayBuffer>;
}

// A separate thread, so that requests continue while SQLite waits for the disk.
const { file, unfinished } = workerData as ThreadData;
let writer: Writer | undefined;
parentPort?.on("message", (order: Order) => {
  carryOut(order);
  Atomics.sub(unfinished, 0, 1);
  Atomics.notify(unfinished, 0);
});

function carryOut(order: Order): void {
  if (order === null) {
    writer?.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(outcomeOf(order));
  writer?.tidy();
}

function outcomeOf(batch: Changes[]): Outcome {
  try {
    // A file that can't be opened now may be whole again for the next commit.
    writer ??= newWriter(file);
    return { results: writer.write(batch) };
  } catch (error) {
    const fault = isOutage(error) ? (error.cause as Error) : (error as Error);
    return { fault: fault.message, errcode: resultCode(fault) };
  }
}
