const MINUTE_MS = 60_000;

/** The delay before the next attempt: 2, 4, 8 … minutes. @see docs/spec/events.md */
export function retryDelayMs(failedAttempts: number): number {
  return 2 ** failedAttempts * MINUTE_MS;
}
