/** A range of numbers, or of time in milliseconds, without its end. null: open. */
export interface Span {
  from: number | null;
  before: number | null;
}

/** Whether a number lies in a range. */
export function isWithin(number: number, { from, before }: Span): boolean {
  return (from === null || number >= from) && (before === null || number < before);
}
