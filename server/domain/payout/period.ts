import type { PayoutCycle } from "../account/record.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const WEEK_MS = 7 * DAY_MS;
/** Choice: weeks and fortnights are counted from the first Monday of Unix time. */
const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5);

/** The time that a payout pays for, in UTC. */
export interface Period {
  /** Names it in `group_ref`: `2026-02`, or its first and last day with a slash. */
  key: string;
  /** Its first moment. */
  start: string;
  /** Its last millisecond. */
  end: string;
}

/** The period of an account's cycle that an instant lies in. */
export function periodAt(cycle: PayoutCycle, at: Date): Period {
  if (cycle === "monthly") {
    const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
    return between(Date.UTC(year, month), Date.UTC(year, month + 1), (day) => day.slice(0, 7));
  }
  const lengthMs = cycle === "weekly" ? WEEK_MS : 2 * WEEK_MS;
  const count = Math.floor((at.getTime() - FIRST_MONDAY_MS) / lengthMs);
  const startMs = FIRST_MONDAY_MS + count * lengthMs;
  return between(startMs, startMs + lengthMs, (first, last) => `${first}/${last}`);
}

/** The latest period that is over. */
export function latestPeriod(cycle: PayoutCycle, now: Date): Period {
  return periodAt(cycle, new Date(Date.parse(periodAt(cycle, now).start) - 1));
}

/** The calendar day (UTC) that is some days after an instant. */
export function dayAfter(instant: string, days: number): string {
  return new Date(Date.parse(instant) + days * DAY_MS).toISOString().slice(0, 10);
}

function between(
  startMs: number,
  nextStartMs: number,
  nameOf: (firstDay: string, lastDay: string) => string,
): Period {
  const start = new Date(startMs).toISOString();
  const end = new Date(nextStartMs - 1).toISOString();
  return { key: nameOf(start.slice(0, 10), end.slice(0, 10)), start, end };
}
