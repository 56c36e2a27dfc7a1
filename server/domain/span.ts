/** A range of numbers, or of time in milliseconds, that excludes its end. Null bounds are open. */
export interface Span {
  from: number | null;
  before: number | null;
}

/** Sorts after every ISO 8601 text of the years that records may have. */
export const AFTER_ALL_ISO = "~";

/** Only the years 0 to 9999 have four digits, and so sort as text. */
const [FIRST_MS, LAST_MS] = [Date.parse("0000-01-01T00:00:00.000Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** The same time range as ISO 8601 texts, the format in records. */
export function isoRange({ from, before }: Span): { from: string; before: string } {
  return {
    from: from === null ? "" : isoOf(from),
    before: before === null || before > LAST_MS ? AFTER_ALL_ISO : isoOf(before),
  };
}

function isoOf(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();
}
