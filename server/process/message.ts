import type { Started } from "./serving.ts";

/** Messages between the primary and its workers. The cluster module and the limiters use the same channel. */
export type Message =
  | { tidemark: "started"; started: Started }
  | { tidemark: "failed"; reason: string }
  /** Asks the primary for the metrics of all workers, or a worker for its own. */
  | { tidemark: "ask"; id: number }
  /** Null if none could be collected. */
  | { tidemark: "metrics"; id: number; metrics: unknown };

/** Reads a message from the channel, or returns null if it is not ours. */
export function readMessage(received: unknown): Message | null {
  const isOurs = typeof received === "object" && received !== null && "tidemark" in received;
  return isOurs ? (received as Message) : null;
}

/** The longest wait for an answer: less than Prometheus' own ten seconds. */
const PATIENCE_MS = 3_000;

/** Questions to another process, and their answers. */
export interface Questions {
  /** Sends a request and resolves to the answer, or to null if none came in time. */
  ask(send: (message: Message) => void): Promise<unknown>;
  /** Accepts an answer. */
  answer(message: Message & { tidemark: "metrics" }): void;
}

/** Keeps a list of open questions. */
export function newQuestions(): Questions {
  const waiting = new Map<number, (metrics: unknown) => void>();
  let count = 0;
  return {
    ask: (send) =>
      new Promise((resolve) => {
        const id = ++count;
        const give = (metrics: unknown) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(metrics);
        };
        const timer = setTimeout(give, PATIENCE_MS, null);
        waiting.set(id, give);
        send({ tidemark: "ask", id });
      }),
    answer: ({ id, metrics }) => waiting.get(id)?.(metrics),
  };
}
