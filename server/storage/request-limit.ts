import { AsyncLocalStorage } from "node:async_hooks";
import { Failure } from "../failure.ts";

/** How long all changes of a request together may wait for a store that others hold up, from its arrival. */
const LIMIT_MS = 14_000;

interface Limit {
  /** On the monotonic clock. */
  at: number;
  /** Whether a change was given up at that time. The request waits for no other one. */
  wasReached: boolean;
}

const limits = new AsyncLocalStorage<Limit>();

/** Handles a request that has just arrived. What goes on after its answer has no limit. */
export function withinLimit<T>(handle: () => T | Promise<T>): Promise<T> {
  const limit: Limit = { at: performance.now() + LIMIT_MS, wasReached: false };
  return limits.run(limit, async () => {
    try {
      return await handle();
    } finally {
      Object.assign(limit, { at: 0, wasReached: false });
    }
  });
}

/** Whether the caller of some work has been told that the time is over. */
export type IsLate = () => boolean;

/**
 * Runs work until the request's time is over. Work without a request has no limit, nor work that begins later because
 * the request takes long although nothing held it up.
 *
 * @throws Failure `unavailable` at that time. The work goes on, and `isLate` tells it
 */
export function inTime<T>(work: (isLate: IsLate) => Promise<T>): Promise<T> {
  const limit = limits.getStore();
  if (limit?.wasReached) return Promise.reject(refusal());
  const leftMs = (limit?.at ?? 0) - performance.now();
  if (limit === undefined || leftMs <= 0) return work(() => false);
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = limit.wasReached = true;
      reject(refusal());
    }, leftMs);
  });
  return Promise.race([work(() => isLate), end]).finally(() => clearTimeout(timer));
}

function refusal(): Failure {
  const failure = new Failure("unavailable", "The store can't be written to in time; try again");
  failure.cause = new Error(`The database did not finish the request's changes within ${LIMIT_MS / 1_000} s`);
  return failure;
}
