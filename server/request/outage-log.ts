import type { Logger } from "pino";
import type { Failure } from "../failure.ts";

/** The pause between two lines. */
const PAUSE_MS = 10_000;

/**
 * Logs that the store can't be used. During an outage every request is refused, and a line for each would
 * bury the rest.
 */
export type OutageLog = (failure: Failure) => void;

/** Makes an outage log. `unloggedCount` says how many refusals were left out since the last line. */
export function newOutageLog(log: Logger, clock: () => Date): OutageLog {
  let loggedAt = -Infinity;
  let unloggedCount = 0;
  return ({ cause, message }) => {
    const now = clock().getTime();
    // `Math.abs` covers a clock that was set back; otherwise the log would be silent until it has caught up.
    if (Math.abs(now - loggedAt) < PAUSE_MS) {
      unloggedCount += 1;
      return;
    }
    log.error({ err: cause, ...(unloggedCount > 0 && { unloggedCount }) }, message);
    loggedAt = now;
    unloggedCount = 0;
  };
}
