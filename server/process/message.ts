import type { Started } from "./serving.ts";

/** Messages between the primary and its workers. The cluster module and the limiters use the same channel. */
export type Message =
  | { tidemark: "started"; started: Started }
  | { tidemark: "failed"; reason: string }
  /** Asks the primary for the metrics of all workers, or a worker for its own. */
  | { tidemark: "ask"; id: number }
  /** null: none could be collected. */
  | { tidemark: "metrics"; id: number; metrics: unknown };

/** Reads a message from the channel. null: it belongs to somebody else. */
export function readMessage(received: unknown): Message | null {
  const isOurs = typeof received === "object" && received !== null && "tidemark" in received;
  return isOurs ? (received as Message) : null;
}
