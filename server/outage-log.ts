import type { Logger } from "pino";
import type { Failure } from "./failure.ts";

/** Between two lines. */
const PAUSE_MS = 10_000;

/** Logs that the store can't be used: while that is so, all requests are refused, and a line for each would bury the rest. */
export type OutageLog = (failure: Failure) => void;

/** Makes such a log; what it left out since its last line is told in the next as `unloggedCount`. */
export function newOutageLog(log: Logger, clock: () => Date): OutageLog {
  let loggedAt = -Infinity;
  let unloggedCount = 0;
  return ({ cause, message }) => {
    const now = clock().getTime();
    // Also where the clock was set back: it must not keep silent until it has caught up.
    if (Math.abs(now - loggedAt) < PAUSE_MS) {
      unloggedCount += 1;
      return;
    }
    log.error({ err: cause, ...(unloggedCount > 0 && { unloggedCount }) }, message);
    loggedAt = now;
    unloggedCount = 0;
  };
}
