import cluster, { type Worker } from "node:cluster";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { readMessage } from "./message.ts";
import type { Started } from "./serving.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 30_000;
/** Where nobody is left who serves, a try costs nobody anything, and each second without one is an outage. */
const LONGEST_OUTAGE_DELAY_MS = 1_000;
/** Who lived so long before it died is replaced at once. */
const STEADY_MS = 60_000;
/** When workers that were told to stop and have not are killed, in milliseconds. They give up themselves before. */
const KILL_MS = 9_800;

/** The workers of a primary. */
export interface Crew {
  /** Those that serve. */
  readonly serving: ReadonlySet<Worker>;
  /** Starts one more and resolves when it listens. @throws Error what kept it from that */
  add(): Promise<Started>;
  /** From now on sees to it that there are so many; resolves when each has been tried to start. */
  keepUp(count: number): Promise<void>;
  /** Replaces each by a new one, which serves before the old one stops; asked for meanwhile, once more. */
  renew(): Promise<void>;
  /** Lets each answer what it was asked, and resolves to whether all of them ended in order. */
  stop(): Promise<boolean>;
}

/** Who has left, and after how long. */
interface Loss {
  worker: Worker;
  code: number;
  signal: string | null;
  livedMs: number;
}

/** Begins a crew of nobody. */
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
    // What is sent to one that has just died, as by the limiter, must not end the primary.
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
      log.error({ err: error }, "worker could not start"); // its end sees to the next try
      return false;
    }
  }

  async function renewAll(): Promise<void> {
    try {
      // A copy, as each new one joins them.
      for (const old of Array.from(serving)) {
        if (wanted === 0) return;
        if (!live.has(old)) continue; // it has died since, and is replaced already
        await add();
        live.delete(old);
        serving.delete(old);
        old.process.kill("SIGTERM");
      }
      // One that died while there was one too many was not missed.
      while (live.size < wanted) await add();
      log.info("workers renewed");
    } catch (error) {
      log.error({ err: error }, "workers could not be renewed; the old ones go on");
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
      // Two at a time would each put a new one in the place of the same old one.
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
        // Of the signal itself dies who has not begun to serve.
        worker.once("exit", (code, signal) => resolve(code === 0 || signal === "SIGTERM")),
      ),
  );
  const signal = (name: NodeJS.Signals) => workers.forEach((worker) => worker.process.kill(name));
  signal("SIGTERM");
  setTimeout(signal, KILL_MS, "SIGKILL").unref();
  return (await Promise.all(ends)).every((isInOrder) => isInOrder);
}
