/** Every request reads the same few accounts, keys and campaigns, so each of their texts is parsed once. */
const parsed = new Map<string, unknown>();
const MAX_PARSED = 1_000;
const MAX_LENGTH = 4_096;

/** Parses a stored text. The result is frozen, because all readers of the same text share it. */
export function parse<R>(text: string | null): R | null {
  if (text === null) return null;
  const known = parsed.get(text);
  if (known !== undefined) return known as R;
  const value = freeze(JSON.parse(text) as R);
  if (text.length > MAX_LENGTH) return value;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(text, value);
  return value;
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) if (typeof part === "object") freeze(part);
  return Object.freeze(value);
}
