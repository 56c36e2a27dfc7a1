import type { Between } from "../storage/store.ts";

/** A range of numbers, or of time in milliseconds, without its end. null: open. */
export interface Span {
  from: number | null;
  before: number | null;
}

/** Instants whose ISO 8601 form has four digits of a year, and so sorts as text. */
const [EARLIEST, LATEST] = [Date.parse("0000-01-01T00:00:00.000Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** A range of time as the dates in a listing. */
export function betweenDates({ from, before }: Span): Between {
  const dateAt = (ms: number) => new Date(Math.min(Math.max(ms, EARLIEST), LATEST)).toISOString();
  // No date is later than "~".
  return { from: from === null ? "" : dateAt(from), before: before === null ? "~" : dateAt(before) };
}

const YEAR_10000_MS = Date.UTC(10_000, 0);
/** Sorts after every ISO 8601 text of the years that inputs may name. */
export const AFTER_ALL_ISO = "~";

/** The same range of time for texts in ISO 8601, as records have them. */
export function isoRange({ from, before }: Span): { from: string; before: string } {
  const isEndless = before === null || before >= YEAR_10000_MS;
  return {
    from: from === null ? "" : new Date(from).toISOString(),
    before: isEndless ? AFTER_ALL_ISO : new Date(before).toISOString(),
  };
}

/** Whether a number lies in a range. */
export function isWithin(number: number, { from, before }: Span): boolean {
  return (from === null || number >= from) && (before === null || number < before);
}
