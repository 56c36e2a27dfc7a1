import { addMonths } from "./period.ts";

/** Days whose sums are read at once: whole months by their monthly counters, or single days. */
export interface Stretch {
  grain: "month" | "day";
  /** The first day. "": from the beginning. */
  from: string;
  /** The day after the last one. */
  before: string;
  /** -1: these days are in a month that was added, and are taken off again. */
  sign: 1 | -1;
  /** The day that the sums count on. null: each counts on its own day. */
  at: string | null;
}

/**
 * Covers the time between each two neighbouring days with few stretches. Reading them is enough to know the sum between
 * any two of the given days, but not between others.
 */
export function stretchesBetween(days: string[]): Stretch[] {
  return days.slice(1).flatMap((before, at) => cover(days[at] ?? "", before));
}

function cover(from: string, before: string): Stretch[] {
  const common = { sign: 1, at: from } as const;
  if (from !== "" && before < addMonths(from, 1)) return [{ ...common, grain: "day", from, before }];
  const [first, end] = [from === "" ? "" : nearestMonth(from), nearestMonth(before)];
  const months: Stretch = { ...common, grain: "month", from: first, before: end };
  return [months, ...difference(from, first, from), ...difference(end, before, from)];
}

/** The days from one day to another. If the other comes first, the days between them are taken off. */
function difference(from: string, before: string, at: string): Stretch[] {
  if (from === before) return [];
  return from < before
    ? [{ grain: "day", from, before, sign: 1, at }]
    : [{ grain: "day", from: before, before: from, sign: -1, at }];
}

/** The first day of the month that begins closest to a day. */
function nearestMonth(day: string): string {
  const first = `${day.slice(0, 7)}-01`;
  return Number(day.slice(8)) <= 16 ? first : addMonths(first, 1);
}
