import { parentPort, workerData } from "node:worker_threads";
import type { Changes } from "../../driver.ts";
import { isPassing } from "./faults.ts";
import { newWriter } from "./writer.ts";

/** A message to the writer's thread: commit a batch, or (null) end. */
export type Order = Changes[] | null;

/** The result of a batch. Errors lose their codes between threads. */
export type Outcome = { results: boolean[] } | { fault: string; isPassing: boolean };

// A separate thread, so that requests continue while SQLite waits for the disk.
const writer = newWriter(workerData as string);
parentPort?.on("message", (order: Order) => {
  if (order === null) {
    writer.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(outcomeOf(order));
  writer.tidy();
});

function outcomeOf(batch: Changes[]): Outcome {
  try {
    return { results: writer.write(batch) };
  } catch (error) {
    return { fault: (error as Error).message, isPassing: isPassing(error) };
  }
}
