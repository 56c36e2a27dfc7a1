import { writing } from "./format.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The current calendar day in UTC, `2026-03-04`. Figures are counted by UTC days, so ranges end with the UTC day,
 * independent of the account's time zone.
 */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The calendar day some days before another. Invalid text is returned unchanged, and refused by the server. */
export function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  date.setUTCDate(date.getUTCDate() - days);
  return date.toISOString().slice(0, 10);
}

/** The first moment of a calendar day in the account's time zone. Invalid text is returned unchanged. */
export function startOf(day: string): string {
  const { timeZone } = writing.value;
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnightMs)) return day;
  // If a clock change skips or repeats midnight, either the offset before or the one after it is right.
  const starts = [midnightMs - DAY_MS, midnightMs + DAY_MS]
    .map((atMs) => midnightMs - (wallClockMs(atMs, timeZone) - atMs))
    .toSorted((one, other) => one - other);
  const startMs = starts.find((atMs) => wallClockMs(atMs, timeZone) >= midnightMs) ?? midnightMs;
  return new Date(startMs).toISOString();
}

/** The last moment of a calendar day in the account's time zone. Invalid text is returned unchanged. */
export function endOf(day: string): string {
  const next = startOf(daysBefore(day, -1));
  return next === day ? day : new Date(Date.parse(next) - 1).toISOString();
}

/** The local time of a time zone, as if it were UTC. */
function wallClockMs(atMs: number, timeZone: string): number {
  // The Swedish format is `2026-03-04 05:06:07`.
  const format = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone });
  return Date.parse(`${format.format(atMs).replace(" ", "T")}Z`);
}
