import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { RateLimiterClusterMaster } from "rate-limiter-flexible";
import type { Config } from "../config.ts";
import { readMessage, newQuestions, type Message } from "./message.ts";
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

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** If no worker is left, every second is an outage and a quick retry disturbs nobody. */
const LONGEST_OUTAGE_DELAY_MS = 1_000;
/** A worker that lived this long before it died is replaced at once. */
const STEADY_MS = 60_000;
/** After this time workers that were told to stop are killed. Normally they give up by themselves before. */
const KILL_MS = 9_800;

/** The workers of a primary. */
interface Crew {
  /** The workers that accept requests. */
  readonly serving: ReadonlySet<Worker>;
  /** Starts a worker and resolves when it listens. @throws Error why it could not start */
  add(): Promise<Started>;
  /** Keeps this many workers running from now on. Resolves when each has been started or has failed to start. */
  keepUp(count: number): Promise<void>;
  /**
   * Replaces each worker. The new one serves before the old one stops. A call during a renewal starts another
   * one after it.
   */
  renew(): Promise<void>;
  /** Lets each worker finish its requests. Resolves to whether all of them exited cleanly. */
  stop(): Promise<boolean>;
}

/** A worker that died, and how long it had lived. */
interface Loss {
  worker: Worker;
  code: number;
  signal: string | null;
  livedMs: number;
}

/** Makes a crew without workers. */
function newCrew(log: Logger): Crew {
  const live = new Set<Worker>();
  const serving = new Set<Worker>();
  const delayAfter = newReplacementDelay();
  let wanted = 0;

  function add(): Promise<Started> {
    const worker = cluster.fork();
    live.add(worker);
    const began = performance.now();
    // A message to a worker that has just died, for example from the limiter, must not end the primary.
    worker.on("error", (error) =>
      log.debug({ worker: worker.process.pid, err: error }, "worker unreachable"),
    );
    worker.once("exit", (code, signal) => {
      serving.delete(worker);
      const isMissed = live.delete(worker) && live.size < wanted;
      if (isMissed) void replace({ worker, code, signal, livedMs: performance.now() - began });
    });
    return startOf(worker, () => serving.add(worker));
  }

  async function replace({ worker, code, signal, livedMs }: Loss): Promise<void> {
    const delayMs = delayAfter(livedMs, serving.size === 0 ? LONGEST_OUTAGE_DELAY_MS : LONGEST_DELAY_MS);
    log.error({ worker: worker.process.pid, code, signal, delayMs }, "worker died; it will be replaced");
    await sleep(delayMs);
    if (live.size < wanted && (await tryToAdd())) log.info("worker replaced");
  }

  async function tryToAdd(): Promise<boolean> {
    try {
      await add();
      return true;
    } catch (error) {
      log.error({ err: error }, "worker could not start"); // its exit triggers the next try
      return false;
    }
  }

  async function renewAll(): Promise<void> {
    try {
      // A copy, because new workers are added during the loop.
      for (const old of Array.from(serving)) {
        if (wanted === 0) return;
        if (!live.has(old)) continue; // it has died since, and is being replaced
        await add();
        live.delete(old);
        serving.delete(old);
        old.process.kill("SIGTERM");
      }
      // A worker that died while there was one too many was not replaced.
      while (live.size < wanted) await add();
      log.info("workers renewed");
    } catch (error) {
      log.error({ err: error }, "workers could not be renewed; the old ones continue");
    }
  }

  return {
    serving,
    add,
    async keepUp(count) {
      wanted = count;
      await Promise.all(Array.from({ length: count - live.size }, tryToAdd));
    },
    // Two renewals at once would both replace the same worker.
    renew: oneAtATime(renewAll),
    async stop() {
      wanted = 0;
      return end(Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined));
    },
  };
}

/** Resolves when a worker has started, after `onStart`. @throws Error why it could not start */
function startOf(worker: Worker, onStart: () => void): Promise<Started> {
  return new Promise((resolve, reject) => {
    worker.once("exit", (code, signal) => reject(new Error(`A worker ended with ${signal ?? code}`)));
    worker.on("message", (received: unknown) => {
      const message = readMessage(received);
      if (message?.tidemark === "failed") reject(new Error(message.reason));
      if (message?.tidemark !== "started") return;
      onStart();
      resolve(message.started);
    });
  });
}

/** The pause before a worker is replaced, which grows while workers die early. */
function newReplacementDelay(): (livedMs: number, longestMs: number) => number {
  let earlyDeaths = 0;
  return (livedMs, longestMs) => {
    earlyDeaths = livedMs < STEADY_MS ? earlyDeaths + 1 : 0;
    return earlyDeaths === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (earlyDeaths - 1), longestMs);
  };
}

/** Never runs work twice at once. A call during a run returns at once, and the work runs again after it. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  let isWantedAgain = false;
  return async () => {
    isWantedAgain = isRunning;
    if (isRunning) return;
    isRunning = true;
    do {
      isWantedAgain = false;
      await work();
    } while (isWantedAgain);
    isRunning = false;
  };
}

async function end(workers: Worker[]): Promise<boolean> {
  const ends = workers.map(
    (worker) =>
      new Promise<boolean>((resolve) =>
        // A worker that has not begun to serve dies of the signal itself.
        worker.once("exit", (code, signal) => resolve(code === 0 || signal === "SIGTERM")),
      ),
  );
  const signal = (name: NodeJS.Signals) => workers.forEach((worker) => worker.process.kill(name));
  signal("SIGTERM");
  setTimeout(signal, KILL_MS, "SIGKILL").unref();
  return (await Promise.all(ends)).every((isInOrder) => isInOrder);
}
