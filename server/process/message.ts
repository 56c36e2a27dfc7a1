import type { Started } from "./serving.ts";

/** What workers and their primary tell each other. Others (cluster, limits) use the same channel. */
export type Message =
  | { tidemark: "started"; started: Started }
  | { tidemark: "failed"; reason: string }
  /** Asks the primary for the metrics of all workers, or a worker for its own. */
  | { tidemark: "ask"; id: number }
  /** null: there were none to be had. */
  | { tidemark: "metrics"; id: number; metrics: unknown };

/** The message that something which came over the channel is, or null for what is somebody else's. */
export function readMessage(received: unknown): Message | null {
  const isOurs = typeof received === "object" && received !== null && "tidemark" in received;
  return isOurs ? (received as Message) : null;
}
