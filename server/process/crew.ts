import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { readMessage } from "./message.ts";
import type { Started } from "./serving.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** If no worker is left, every second is an outage and a quick retry disturbs nobody. */
const LONGEST_OUTAGE_DELAY_MS = 1_000;
/** A worker that lived this long before it died is replaced at once. */
const STEADY_MS = 60_000;
/** After this time workers that were told to stop are killed. Normally they give up by themselves before. */
const KILL_MS = 9_800;

/** The workers of a primary. */
export interface Crew {
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
export function newCrew(log: Logger): Crew {
  const live = new Set<Worker>();
  const serving = new Set<Worker>();
  let wanted = 0;
  let earlyDeaths = 0;
  let isRenewing = false;
  let isRenewedAgain = false;

  function add(): Promise<Started> {
    const worker = cluster.fork();
    live.add(worker);
    const began = performance.now();
    // A message to a worker that has just died, for example from the limiter, must not end the primary.
    worker.on("error", (error) =>
      log.debug({ worker: worker.process.pid, err: error }, "worker unreachable"),
    );
    return new Promise((resolve, reject) => {
      worker.once("exit", (code, signal) => {
        reject(new Error(`A worker ended with ${signal ?? code}`));
        serving.delete(worker);
        const isMissed = live.delete(worker) && live.size < wanted;
        if (isMissed) void replace({ worker, code, signal, livedMs: performance.now() - began });
      });
      worker.on("message", (received: unknown) => {
        const message = readMessage(received);
        if (message?.tidemark === "failed") reject(new Error(message.reason));
        if (message?.tidemark !== "started") return;
        serving.add(worker);
        resolve(message.started);
      });
    });
  }

  async function replace({ worker, code, signal, livedMs }: Loss): Promise<void> {
    earlyDeaths = livedMs < STEADY_MS ? earlyDeaths + 1 : 0;
    const longestMs = serving.size === 0 ? LONGEST_OUTAGE_DELAY_MS : LONGEST_DELAY_MS;
    const delayMs = earlyDeaths === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (earlyDeaths - 1), longestMs);
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
    async renew() {
      isRenewedAgain = isRenewing;
      // Two renewals at once would both replace the same worker.
      if (isRenewing) return;
      isRenewing = true;
      do {
        isRenewedAgain = false;
        await renewAll();
      } while (isRenewedAgain);
      isRenewing = false;
    },
    async stop() {
      wanted = 0;
      return end(Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined));
    },
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
