import { setTimeout as sleep } from "node:timers/promises";
import { isPassing, unavailable } from "./faults.ts";

const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 500;

/**
 * Retries with growing delays while errors are temporary and time is left.
 *
 * @throws Failure `unavailable` after the deadline, and any other error immediately
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

/** A deadline on the monotonic clock. */
export function deadlineIn(milliseconds: number): number {
  return performance.now() + milliseconds;
}
