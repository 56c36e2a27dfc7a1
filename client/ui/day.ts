import { writing } from "./format.ts";

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The calendar day of this moment, `2026-03-04`. Facts are counted by days of UTC, so ranges end with today there,
 * whatever the account's time zone is.
 */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The calendar day some days before another. A text that is no day comes back unchanged, and the server refuses it. */
export function daysBefore(day: string, days: number): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  date.setUTCDate(date.getUTCDate() - days);
  return date.toISOString().slice(0, 10);
}

/** The first moment of a calendar day in the account's time zone. A text that is no day comes back unchanged. */
export function startOf(day: string): string {
  const { timeZone } = writing.value;
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnightMs)) return day;
  // Where a change of the clock skips or repeats midnight, the offset before it or the one after it is the right one.
  const starts = [midnightMs - DAY_MS, midnightMs + DAY_MS]
    .map((atMs) => midnightMs - (wallClockMs(atMs, timeZone) - atMs))
    .toSorted((one, other) => one - other);
  const startMs = starts.find((atMs) => wallClockMs(atMs, timeZone) >= midnightMs) ?? midnightMs;
  return new Date(startMs).toISOString();
}

/** The last moment of a calendar day in the account's time zone. A text that is no day comes back unchanged. */
export function endOf(day: string): string {
  const next = startOf(daysBefore(day, -1));
  return next === day ? day : new Date(Date.parse(next) - 1).toISOString();
}

/** What clocks in a time zone show, as the same time of UTC. */
function wallClockMs(atMs: number, timeZone: string): number {
  // Swedes write `2026-03-04 05:06:07`.
  const format = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "medium", timeZone });
  return Date.parse(`${format.format(atMs).replace(" ", "T")}Z`);
}
