import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../failure.ts";

const FIRST_DELAY_MS = 10;
const MAX_DELAY_MS = 500;

/** The five characters that Postgres names an error with. null: the error is not its own, as of a cut connection. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  // `severity` tells it from the errors of sockets, whose codes may have five letters as well (EPIPE).
  return typeof code === "string" && error instanceof Error && "severity" in error ? code : null;
}

/** Whether a transaction lost against others, so that nothing of it is there: not serialisable, or a deadlock. */
export function isLostRace(error: unknown): boolean {
  return /^40(001|P01)$/.test(sqlState(error) ?? "");
}

/**
 * Whether the same may succeed later: races, connections that are cut or refused (08, or no state), too
 * little room (53), ends from outside (57), limits on time (25P03, 55P03), and failovers (25006, XX).
 */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  if (state === null) return !(error instanceof Failure || error instanceof TypeError);
  return isLostRace(error) || /^(08|53|57|58|XX)|^(25P03|25006|55P03)$/.test(state);
}

/** What callers are told after the last try; the log has the cause. */
export function unavailable(cause: unknown): Failure {
  const failure = new Failure("unavailable", "The store can't be reached or written to; try again");
  failure.cause = cause;
  return failure;
}

/**
 * Tries again, a little later each time, as long as failures are passing and there is time.
 *
 * @throws Failure `unavailable` when the time is over, and at once whatever does not pass
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

/** An instant of the clock that only goes forward. */
export function deadlineIn(milliseconds: number): number {
  return performance.now() + milliseconds;
}
