import cluster, { type Worker } from "node:cluster";
import type { Logger } from "pino";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { Config } from "../config.ts";
import { readMessage, newQuestions, type Message } from "./message.ts";
import type { Started } from "./serving.ts";

/** A worker that keeps dying must not occupy a processor with its starts. */
const PAUSE_MS = 500;
/** Stopping workers are killed after this time. Normally they give up before. */
const KILL_MS = 9_800;

/**
 * Keeps `workers` workers running until a signal stops it. Resolves when each has started, or failed to.
 *
 * The first worker starts alone, so that the store's first start happens once and a faulty setting is
 * reported once.
 *
 * @throws Error with the reason why the first worker could not start
 */
export async function supervise({ workers }: Config, log: Logger): Promise<Started> {
  // The workers accept connections on the port themselves. If the primary accepted them, a connection that it was
  // handing to a dying worker would wait for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Counts for the limiters of all workers.
  void new RateLimiterClusterMaster();
  const crew = newCrew(workers, log);
  answerForAll(crew.serving);
  const first = await crew.start();
  cluster.on("exit", crew.miss);
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, crew.stop);
  let renewal = Promise.resolve();
  // Two simultaneous renewals would both replace the same worker.
  process.on("SIGHUP", () => (renewal = renewal.then(crew.renew)));
  await crew.fillUp();
  return first;
}

/** Makes the workers of a primary, without any. */
function newCrew(count: number, log: Logger) {
  /** The workers, except stopping ones. */
  const crew = new Set<Worker>();
  const serving = new Set<Worker>();
  let isStopping = false;
  let exitCode = 0;

  async function start(): Promise<Started> {
    const worker = cluster.fork();
    crew.add(worker);
    // A message to a worker that has just died, for example from the limiter, must not end the primary.
    worker.on("error", (err) => log.debug({ worker: worker.process.pid, err }, "worker unreachable"));
    const started = await startOf(worker);
    if (crew.has(worker)) serving.add(worker);
    return started;
  }

  /**
   * Adds a worker if one is missing, and logs the result. If it can't start, its exit leads to the next
   * attempt.
   */
  async function fill(success: string): Promise<void> {
    if (isStopping || crew.size >= count) return;
    await start().then(
      () => log.info(success),
      (err: unknown) => log.error({ err }, "worker could not start"),
    );
  }

  const fillUp = () => Promise.all(Array.from({ length: count - crew.size }, () => fill("worker started")));

  /** Replaces each worker. The new one starts serving before the old one stops. */
  async function renew(): Promise<void> {
    try {
      for (const old of Array.from(serving)) {
        if (isStopping || !crew.has(old)) continue;
        await start();
        leave(old);
        old.process.kill("SIGTERM");
      }
      // A worker that died while there was one too many was not replaced.
      await fillUp();
      log.info("workers renewed");
    } catch (err) {
      if (!isStopping) log.error({ err }, "workers could not be renewed; the old ones continue");
    }
  }

  function leave(worker: Worker): boolean {
    serving.delete(worker);
    return crew.delete(worker);
  }

  function miss(worker: Worker, code: number, signal: string | null): void {
    // A worker that is not serving yet dies of the signal itself.
    if (isStopping && code !== 0 && signal !== "SIGTERM") exitCode = 1;
    if (isStopping && allWorkers().length === 0) process.exit(exitCode);
    if (!leave(worker) || isStopping || crew.size >= count) return;
    log.error({ worker: worker.process.pid, code, signal }, "worker died; it will be replaced");
    setTimeout(fill, PAUSE_MS, "worker replaced");
  }

  function stop(): void {
    if (!isStopping) log.info("stopping");
    isStopping = true;
    signalAll("SIGTERM");
    setTimeout(signalAll, KILL_MS, "SIGKILL").unref();
    if (allWorkers().length === 0) process.exit(exitCode);
  }

  return { serving, start, fillUp, renew, miss, stop };
}

function signalAll(name: NodeJS.Signals): void {
  for (const worker of allWorkers()) worker.process.kill(name);
}

/** All living workers, including stopping ones. */
function allWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker) => worker !== undefined && !worker.isDead(),
  ) as Worker[];
}

/** Sends a worker the metrics of all workers on request. */
function answerForAll(serving: ReadonlySet<Worker>): void {
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
  // A dead worker is reported by its exit, and its answer is not awaited for long.
  worker.send(message, () => {});
}

/**
 * Resolves when a worker has started.
 *
 * @throws Error with the reason why it could not start
 */
function startOf(worker: Worker): Promise<Started> {
  return new Promise((resolve, reject) => {
    worker.once("exit", (code, signal) => reject(new Error(`A worker ended with ${signal ?? code}`)));
    worker.on("message", (received: unknown) => {
      const message = readMessage(received);
      if (message?.tidemark === "failed") reject(new Error(message.reason));
      if (message?.tidemark === "started") resolve(message.started);
    });
  });
}
