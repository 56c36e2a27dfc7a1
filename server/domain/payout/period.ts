import { dayIn, startOfDay, timeZoneOf } from "../account/time-zone.ts";
import type { Account, PayoutCycle } from "../account/account.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;
const WEEK_DAYS = 7;
/** Choice: weeks and fortnights are counted from the first Monday of Unix time. */
const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5);

/** The time that a payout pays for. @see docs/spec/money.md "Payouts" */
export interface Period {
  /** Names it in `group_ref`: `2026-02`, or its first and last day with a slash. */
  key: string;
  /** Its first moment. */
  start: string;
  /** Its last millisecond. */
  end: string;
}

/** The settings that decide where an account's periods begin. */
export type PeriodSettings = Pick<Account, "payoutCycle" | "timeZone">;

/** The period that an instant lies in, by the account's cycle and time zone. */
export function periodAt(settings: PeriodSettings, at: Date): Period {
  return periodOfDay(settings, dayIn(timeZoneOf(settings), at));
}

/** The period that a calendar day lies in. */
export function periodOfDay({ payoutCycle, ...settings }: PeriodSettings, day: string): Period {
  const [first, next] = daysAround(payoutCycle, day);
  const zone = timeZoneOf(settings);
  const last = dayAfter(next, -1);
  return {
    key: payoutCycle === "monthly" ? day.slice(0, 7) : `${first}/${last}`,
    start: startOfDay(zone, first).toISOString(),
    end: new Date(startOfDay(zone, next).getTime() - 1).toISOString(),
  };
}

/** The latest period that is over. */
export function latestPeriod(settings: PeriodSettings, now: Date): Period {
  return periodAt(settings, new Date(Date.parse(periodAt(settings, now).start) - 1));
}

/** The calendar day some days after another. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The first day of the cycle that a day lies in, and the first day of the next one. */
function daysAround(cycle: PayoutCycle, day: string): [first: string, next: string] {
  if (cycle === "monthly") {
    const first = `${day.slice(0, 7)}-01`;
    return [first, `${dayAfter(first, 31).slice(0, 7)}-01`];
  }
  const length = cycle === "weekly" ? WEEK_DAYS : 2 * WEEK_DAYS;
  const count = Math.floor((Date.parse(day) - FIRST_MONDAY_MS) / (length * DAY_MS));
  const first = new Date(FIRST_MONDAY_MS + count * length * DAY_MS).toISOString().slice(0, 10);
  return [first, dayAfter(first, length)];
}
