import { hash } from "node:crypto";

/** A segment of a key: text, or a safe integer. */
export type KeyPart = string | number;
/** A tuple. The first part is the account's id; 0 holds what belongs to no account. */
export type Key = readonly KeyPart[];

/** Eleven digits of base 36 hold every safe integer. */
const INTEGER_DIGITS = 11;
const END = "!";
const NEEDS_ESCAPE = /[^0-9A-Za-z]/;
const ESCAPED_UNIT = /[+@_][0-9a-f]{2}|~[0-9a-f]{4}/g;
/** The first texts that needed escapes: the names of collections, which stand in every key. */
const encodedNames = new Map<string, string>();
const MAX_ENCODED_NAMES = 100;

/**
 * The storage key of a tuple. No two tuples share one, and byte order is tuple order: numbers before
 * texts, numbers by value, texts by UTF-16 code unit.
 *
 * unstorage folds `/`, `\` and runs of `:`, and cuts at `?`; so each segment is made of letters,
 * digits and a few safe marks, and `:` only joins.
 *
 * @throws RangeError for a number that is no safe integer
 */
export function encodeKey(key: Key): string {
  let encoded = "";
  for (const part of key) {
    if (encoded !== "") encoded += ":";
    encoded += typeof part === "number" ? encodeInteger(part) : encodeText(part);
  }
  return encoded;
}

/** The tuple of a storage key. */
export function decodeKey(encoded: string): KeyPart[] {
  return encoded.split(":").map((segment) => {
    if (segment.startsWith("s")) return segment.slice(1, -1).replace(ESCAPED_UNIT, decodeUnit);
    const value = Number.parseInt(segment.slice(1), 36);
    return segment.startsWith("m") ? value - Number.MAX_SAFE_INTEGER : value;
  });
}

/** The range of all keys that begin with a tuple. */
export function prefixRange(prefix: Key): { from: string; before: string } {
  const start = encodeKey(prefix);
  // `;` follows `:` in ASCII, so it ends the range of whatever continues with a further segment.
  return { from: `${start}:`, before: `${start};` };
}

/** SHA-256 of a text, hexadecimal: stands in a key for what could be too long or should not be readable there. */
export function digest(text: string): string {
  return hash("sha256", text, "hex");
}

function encodeInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} can't be part of a key`);
  // Negative ones count up from the least, under a letter that sorts first.
  if (value < 0) return `m${digits(value + Number.MAX_SAFE_INTEGER)}`;
  return `n${digits(value)}`;
}

function digits(value: number): string {
  return value.toString(36).padStart(INTEGER_DIGITS, "0");
}

/** The end mark sorts before all that may continue a text, so that a text sorts before its extensions. */
function encodeText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `s${text}${END}`;
  return encodedNames.get(text) ?? encodeSlowly(text);
}

function encodeSlowly(text: string): string {
  const encoded = `s${text.replace(/[^0-9A-Za-z]/g, escapeUnit)}${END}`;
  if (encodedNames.size < MAX_ENCODED_NAMES) encodedNames.set(text, encoded);
  return encoded;
}

/** Each escape begins with a mark from the gap that its character comes from, which keeps the order. */
function escapeUnit(character: string): string {
  const unit = character.charCodeAt(0);
  if (unit < 0x30) return `+${hex(unit, 2)}`;
  if (unit < 0x41) return `@${hex(unit, 2)}`;
  if (unit < 0x61) return `_${hex(unit, 2)}`;
  return `~${hex(unit, 4)}`;
}

function decodeUnit(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
}

function hex(unit: number, width: number): string {
  return unit.toString(16).padStart(width, "0");
}
