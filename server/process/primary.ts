import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { Config } from "../config.ts";
import { newCrew, type Crew } from "./crew.ts";
import { readMessage, type Message } from "./message.ts";
import { newQuestions } from "./questions.ts";
import type { Started } from "./serving.ts";

/**
 * Keeps so many workers serving until it is told to stop by a signal; resolves when all of them have begun.
 * The first one starts alone, so that the store's first start happens once, and that a fault of the
 * environment is told once. What keeps another from starting may pass: the news of the first start are told.
 *
 * @throws Error what kept the first worker from starting
 */
export async function supervise({ workers }: Config, log: Logger): Promise<Started> {
  // Workers take connections from the one port themselves. Those that the primary took and was handing over
  // to a worker when it died would wait for an answer without an end.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const crew = newCrew(log);
  answerForAll(crew);
  // Counts what the workers' limiters are asked.
  void new RateLimiterClusterMaster();
  const first = await crew.add();
  await crew.keepUp(workers);
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, async () => {
      if (isStopping) return;
      isStopping = true;
      log.info("stopping");
      process.exit((await crew.stop()) ? 0 : 1);
    });
  }
  process.on("SIGHUP", () => void crew.renew());
  return first;
}

/** Gives any worker that asks the metrics of all of them. */
function answerForAll({ serving }: Crew): void {
  const questions = newQuestions();
  cluster.on("message", async (worker, received: unknown) => {
    const message = readMessage(received);
    if (message?.tidemark === "metrics") questions.answer(message);
    if (message?.tidemark !== "ask") return;
    const asked = [...serving].map((other) => questions.ask((question) => tell(other, question)));
    const metrics = (await Promise.all(asked)).filter((answer) => answer !== null);
    tell(worker, { tidemark: "metrics", id: message.id, metrics });
  });
}

function tell(worker: Worker, message: Message): void {
  // One that is gone tells so by its end; nobody waits for its answer for long.
  worker.send(message, () => {});
}
