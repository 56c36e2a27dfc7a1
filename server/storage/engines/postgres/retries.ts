import { setTimeout as sleep } from "node:timers/promises";
import { isPassing, unavailable } from "./faults.ts";

const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 500;

/**
 * Retries with growing delays while errors are passing and time is left.
 *
 * @throws Failure `unavailable` when the time is over; any other error at once
 */
export async function withRetries<T>(work: () => Promise<T>, deadlineMs: number): Promise<T> {
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      const waitMs = delayMs * (0.5 + Math.random() / 2);
      if (performance.now() + waitMs > deadlineMs) throw unavailable(error);
      await sleep(waitMs);
    }
  }
}

/** A point in time on the monotonic clock. */
export function deadlineIn(milliseconds: number): number {
  return performance.now() + milliseconds;
}
