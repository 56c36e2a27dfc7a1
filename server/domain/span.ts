/** A day in milliseconds. Calendar days may be an hour longer or shorter. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** A range of numbers, or of time in milliseconds, that excludes its end. Null bounds are open. */
export interface Span {
  from: number | null;
  before: number | null;
}

/** A range of instants, as they are in records. */
interface IsoRange {
  from: string;
  before: string;
}

/** Postgres' words for the ends of time. On SQLite they sort before and after every instant, as texts. */
const [BEFORE_ALL, AFTER_ALL] = ["-infinity", "infinity"];

/** Records have instants of these years only (`isInstant`). */
const [FIRST_MS, LAST_MS] = [Date.parse("0001-01-01T00:00:00.000Z"), Date.parse("9999-12-31T23:59:59.999Z")];

/** The same time range in the format of records. */
export function isoRange({ from, before }: Span): IsoRange {
  return {
    from: from === null ? BEFORE_ALL : isoOf(from),
    before: before === null || before > LAST_MS ? AFTER_ALL : isoOf(before),
  };
}

/** All instants up to this one, which is included. Null: all. */
export function upTo(at: string | null): IsoRange {
  return isoRange({ from: null, before: at === null ? null : Date.parse(at) + 1 });
}

/** An instant in milliseconds in the format of records. Before and after the years of records, their first or last instant. */
export function isoOf(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();
}
