import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../failure.ts";

/** Postgres' five-character error code, or null for other errors, such as a broken connection. */
export function sqlState(error: unknown): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  // `severity` distinguishes it from socket errors, whose codes may also have five characters (EPIPE).
  return typeof code === "string" && error instanceof Error && "severity" in error ? code : null;
}

/** Whether a transaction lost a race and wrote nothing: a serialisation failure or a deadlock. */
function isLostRace(error: unknown): boolean {
  return /^40(001|P01)$/.test(sqlState(error) ?? "");
}

/** A record has changed since the transaction first read it. */
export const LOST_RACE = new Error("Others have changed records that the transaction has read");

/**
 * Whether a transaction failed because others were faster, and must be retried: the comparison divides by
 * zero if something has changed, and a unique value may have been taken.
 */
export function isOutdated(error: unknown): boolean {
  return error === LOST_RACE || isLostRace(error) || /^(22012|23505)$/.test(sqlState(error) ?? "");
}

/**
 * Whether a retry may succeed: lost races, connections that are cut or refused (08, or no state), full disk
 * or memory (53), shutdowns (57), timeouts (25P03, 55P03) and failovers (25006, XX).
 */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  if (state === null) return !(error instanceof Failure || error instanceof TypeError);
  return isLostRace(error) || /^(08|53|57|58|XX)|^(25P03|25006|55P03)$/.test(state);
}

/** The error that callers get after the last retry; the log has the cause. */
export function unavailable(cause: unknown): Failure {
  const failure = new Failure("unavailable", "The store can't be reached or written to; try again");
  failure.cause = cause;
  return failure;
}

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
