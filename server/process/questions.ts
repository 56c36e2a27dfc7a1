import type { Message } from "./message.ts";

/** The longest wait for an answer: less than Prometheus' own ten seconds. */
const PATIENCE_MS = 3_000;

/** Questions to another process, and their answers. */
export interface Questions {
  /** Asks, and resolves to the answer. null: none came in time. */
  ask(send: (message: Message) => void): Promise<unknown>;
  /** Takes an answer. */
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
