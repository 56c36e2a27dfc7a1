import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { isOutage } from "../failure.ts";
import type { OutageLog } from "../outage-log.ts";
import type { Lease } from "../outbox/lease.ts";

/** Between two steps of a job that is under way, so that requests come first. */
const STEP_PAUSE_MS = 1_000;
/** Between two looks whether a job is due. */
const IDLE_PAUSE_MS = 10_000;

/** Work that is done again and again, in small steps, by one process of all that share a store. */
export interface Job {
  name: string;
  /** From the end of one round, or its failure, to the beginning of the next. */
  restMs: number;
  begin(): AsyncIterator<unknown>;
}

/** Does the jobs of a store, in the process that holds the lease. */
export interface Scheduler {
  /** One step of each job that is under way or due. Tests call it, with a clock that they set. */
  pass(): Promise<void>;
  start(): void;
  /** Begins nothing more, and leaves the jobs to the next process. */
  stop(): Promise<void>;
}

/** What is known of a job's rounds. */
interface Round {
  /** null: none is under way. */
  steps: AsyncIterator<unknown> | null;
  dueAt: number;
}

interface SchedulerParts {
  lease: Lease;
  log: Logger;
  logOutage: OutageLog;
  elapsedMs: () => number;
}

/** Makes a scheduler; nothing is done before it starts. */
export function newScheduler({ lease, log, logOutage, elapsedMs }: SchedulerParts, jobs: Job[]): Scheduler {
  const rounds = new Map(jobs.map((job): [Job, Round] => [job, { steps: null, dueAt: -Infinity }]));
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  function report(error: unknown, message: string): void {
    if (isOutage(error)) logOutage(error);
    else log.error({ err: error }, message);
  }

  async function step(job: Job, round: Round): Promise<void> {
    if (round.steps === null && elapsedMs() < round.dueAt) return;
    round.steps ??= job.begin();
    if ((await isOver(job, round.steps)) === false) return;
    round.steps = null;
    round.dueAt = elapsedMs() + job.restMs;
  }

  async function isOver({ name }: Job, steps: AsyncIterator<unknown>): Promise<boolean> {
    try {
      return (await steps.next()).done === true;
    } catch (error) {
      report(error, `the job ${name} failed and begins anew later`);
      return true;
    }
  }

  async function pass(): Promise<void> {
    for (const [job, round] of rounds) if (await lease.take()) await step(job, round);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pass().catch((error: unknown) => report(error, "the scheduler could not do its work"));
      const isUnderWay = [...rounds.values()].some(({ steps }) => steps !== null);
      const pauseMs = isUnderWay ? STEP_PAUSE_MS : IDLE_PAUSE_MS;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {}); // stopped
    }
  }

  return {
    pass,
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
      // A lease that can't be given back ends by itself.
      await lease
        .release()
        .catch((error: unknown) => report(error, "the scheduler's lease was not given back"));
    },
  };
}
