/** A text in the form that both engines can hold: a NUL, and half of a surrogate pair, are U+FFFD. */
export function storable(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
}

/** Whether both engines can hold a text as an instant: one of the years 1 to 9999 in UTC, with milliseconds. */
export function isInstant(text: string): boolean {
  return text.length === INSTANT_LENGTH && text >= "0001" && new Date(text).toJSON() === text;
}

/** That of `2026-03-04T05:06:07.890Z`. */
const INSTANT_LENGTH = 24;

/** How JSON writes what `storable` replaces. It matches some texts without any. */
const ODD = /\\u(?:0000|d[89a-f])/i;

/** The same of all texts and names in a value that was read from, or will be written as, this JSON. */
export function storableIn<T>(json: string, value: T): T {
  return ODD.test(json) ? (replaced(value) as T) : value;
}

function replaced(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(replaced);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [storable(name), replaced(part)]));
}
