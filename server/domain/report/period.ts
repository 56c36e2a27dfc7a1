import { Failure } from "../../failure.ts";

export const GROUPINGS = ["day", "week", "month", "year"] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A range of calendar days (UTC), both ends included. */
export interface Period {
  from: string;
  to: string;
}

/** Choice: enough for a year of days or thirty years of months. More rows help nobody. */
const MOST_PERIODS = 400;

/** The last day of the period that a day belongs to. */
const END: Record<Grouping, (day: string) => string> = {
  day: (day) => day,
  // Choice: weeks begin on Monday, as in ISO 8601.
  week: (day) => addDays(day, (7 - new Date(day).getUTCDay()) % 7),
  month: (day) => addDays(`${addMonths(`${day.slice(0, 7)}-01`, 1)}`, -1),
  year: (day) => `${day.slice(0, 4)}-12-31`,
};

/**
 * Cuts a range of days into periods, oldest first. The first and the last may be shorter.
 *
 * @throws Failure `invalid` if the range ends before it begins, or has too many periods
 */
export function periodsOf({ from, to }: Period, groupBy: Grouping): Period[] {
  if (from > to) throw new Failure("invalid", "The start date is after the end date");
  const periods: Period[] = [];
  for (let start = from; start <= to; start = addDays(periods.at(-1)?.to ?? to, 1)) {
    if (periods.length === MOST_PERIODS)
      throw new Failure("invalid", `More than ${MOST_PERIODS} periods; group by longer ones`);
    const end = END[groupBy](start);
    periods.push({ from: start, to: end < to ? end : to });
  }
  return periods;
}

/** How many calendar months a range touches. */
export function monthsIn({ from, to }: Period): number {
  return monthNumber(to) - monthNumber(from) + 1;
}

/** The same day some months later, or that month's last day if it is shorter. */
export function addMonths(day: string, count: number): string {
  const number = monthNumber(day) + count;
  const [year, month] = [Math.floor(number / 12), number % 12];
  const lastOfMonth = utcDate(year, month + 1, 0).getUTCDate();
  return dayOf(utcDate(year, month, Math.min(Number(day.slice(8)), lastOfMonth)));
}

/** The day some days later. */
export function addDays(day: string, count: number): string {
  return dayOf(utcDate(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8)) + count));
}

/** The calendar day (UTC) of an instant. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

/** Date.UTC would read years below 100 as years of the last century. */
function utcDate(year: number, month: number, date: number): Date {
  const instant = new Date(0);
  instant.setUTCFullYear(year, month, date);
  return instant;
}
