import { setTimeout as sleep } from "node:timers/promises";
import { Failure, LOST_RACE } from "../../../failure.ts";

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

/** The comparison divides by zero if something has changed. */
const DIVIDED_BY_ZERO = "22012";
const TAKEN = "23505";

/** The text in the place of a number, which says in the error why a commit is refused. */
export const NO_STANDBY = "no synchronous standby is connected";
const NOT_A_NUMBER = "22P02";

/** Whether a statement failed because it demands a synchronous standby. */
export function isWithoutStandby(error: unknown): boolean {
  return sqlState(error) === NOT_A_NUMBER && (error as Error).message.includes(NO_STANDBY);
}

/** Whether a transaction failed because others were faster, and must be retried. */
export function isOutdated(error: unknown): boolean {
  return raceIn(error) !== null;
}

/**
 * The race that a transaction has lost, or null for other errors. A unique value that is taken at each try may be a fault,
 * so its error is kept.
 */
export function raceIn(error: unknown): Error | null {
  const state = sqlState(error);
  if (state === TAKEN) return error as Error;
  return error === LOST_RACE || isLostRace(error) || state === DIVIDED_BY_ZERO ? LOST_RACE : null;
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

/** The fault of a transaction whose caller has been refused before it was sent. */
export const OVER = new Failure("unavailable", "The time of the request is over");

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
