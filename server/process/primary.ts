import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { Config } from "../config.ts";
import { newCrew, type Crew } from "./crew.ts";
import { readMessage, type Message } from "./message.ts";
import { newQuestions } from "./questions.ts";
import type { Started } from "./serving.ts";

/**
 * Keeps `workers` workers serving until a signal stops it. Resolves when all of them have begun.
 *
 * The first worker starts alone, so that the store's first start happens once and a faulty setting is
 * reported once. If a later one can't start, it is retried and the start still counts.
 *
 * @throws Error why the first worker could not start
 */
export async function supervise({ workers }: Config, log: Logger): Promise<Started> {
  // The workers accept connections on the port themselves. If the primary accepted them, a connection that it was
  // handing to a dying worker would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const crew = newCrew(log);
  answerForAll(crew);
  // Counts for the limiters of all workers.
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

/** Gives a worker that asks the metrics of all workers. */
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
  // A worker that is gone reports its end by its exit, and nobody waits long for its answer.
  worker.send(message, () => {});
}
