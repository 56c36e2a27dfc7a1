import { hash } from "node:crypto";

/** A segment of a key: text, or a safe integer. */
export type KeyPart = string | number;
/** A tuple. The first part is the account's id; 0 is for keys of no account. */
export type Key = readonly KeyPart[];

/** Eleven digits of base 36 hold every safe integer. */
const INTEGER_DIGITS = 11;
/** Marks the number of digits before an integer, so that longer integers sort after shorter ones. */
const LENGTH_MARKS = "_cdefghijklm";
/** Hexadecimal digits: 128 bits. */
const FINGERPRINT_LENGTH = 32;
const END = "!";
const ESCAPED_UNIT = /[+@_][0-9a-f]{2}|~[0-9a-f]{4}/g;
const NEEDS_ESCAPE = /[^0-9A-Za-z]/;
const ASCII_ESCAPES = Array.from({ length: 128 }, (_, unit) => escapeAscii(unit));
/** Names in second place of a key come from the code, so they are few. */
const encodedNames = new Map<string, string>();
const MAX_ENCODED_NAMES = 1_000;

/**
 * The storage key of a tuple. No two tuples share a key, and byte order is tuple order: numbers before texts,
 * numbers by value, texts by UTF-16 code unit.
 *
 * unstorage folds `/`, `\` and runs of `:`, and cuts at `?`. So each segment consists of letters, digits and
 * a few safe marks, and `:` only joins segments.
 *
 * @throws RangeError for a number that is not a safe integer
 */
export function encodeKey(key: Key): string {
  let encoded = "";
  for (let at = 0; at < key.length; at++) {
    const part = key[at] as KeyPart;
    if (at > 0) encoded += ":";
    if (typeof part === "number") encoded += encodeInteger(part);
    else encoded += at === 1 ? encodeName(part) : encodeText(part);
  }
  return encoded;
}

/** The tuple of a storage key. */
export function decodeKey(encoded: string): KeyPart[] {
  const key: KeyPart[] = [];
  for (let start = 0, end = 0; end < encoded.length; start = end + 1) {
    const mark = encoded.indexOf(":", start);
    end = mark < 0 ? encoded.length : mark;
    key.push(decodeSegment(encoded.slice(start, end)));
  }
  return key;
}

/** The hexadecimal SHA-256 of a text, for keys that must hide the text or where it could be too long. */
export function digest(text: string): string {
  return hash("sha256", text, "hex");
}

/** A number for lists in place of a secret hash. Its 48 bits are enough to tell a few apart. */
export function numberOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16);
}

/** Postgres' limit for an index entry is 2,700 bytes. */
const MOST_INDEXED = 600;

/** A text as a column with an index holds it. A very long one is compared by its hash. */
export function indexed(text: string): string {
  return text.length > MOST_INDEXED ? `sha256:${digest(text)}` : text;
}

/**
 * A short stand-in for a tuple where only equality counts. It has so much of the SHA-256 that two tuples never share it in
 * practice.
 */
export function fingerprint(key: Key): string {
  return digest(JSON.stringify(key)).slice(0, FINGERPRINT_LENGTH);
}

function encodeInteger(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} can't be part of a key`);
  // Negative integers count up from the smallest, behind a letter that sorts first.
  if (value < 0) return `b${(value + Number.MAX_SAFE_INTEGER).toString(36).padStart(INTEGER_DIGITS, "0")}`;
  const digits = value.toString(36);
  return LENGTH_MARKS.charAt(digits.length) + digits;
}

/** The same few names are in every key, so each is encoded once. */
function encodeName(name: string): string {
  const known = encodedNames.get(name);
  if (known !== undefined) return known;
  const encoded = encodeText(name);
  if (encodedNames.size < MAX_ENCODED_NAMES) encodedNames.set(name, encoded);
  return encoded;
}

/**
 * The end mark sorts before every character that may continue a text, so a text sorts before its extensions.
 */
function encodeText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return `s${text}${END}`;
  return `s${text.replace(/[^0-9A-Za-z]/g, escapeUnit)}${END}`;
}

function escapeUnit(character: string): string {
  const unit = character.charCodeAt(0);
  return ASCII_ESCAPES[unit] ?? `~${hex(unit, 4)}`;
}

/** Each escape begins with a mark from the same gap in ASCII as its character, which keeps the order. */
function escapeAscii(unit: number): string {
  if (unit < 0x30) return `+${hex(unit, 2)}`;
  if (unit < 0x41) return `@${hex(unit, 2)}`;
  if (unit < 0x61) return `_${hex(unit, 2)}`;
  return `~${hex(unit, 4)}`;
}

function decodeSegment(segment: string): KeyPart {
  if (segment.startsWith("s")) return segment.slice(1, -1).replace(ESCAPED_UNIT, decodeUnit);
  const value = Number.parseInt(segment.slice(1), 36);
  return segment.startsWith("b") ? value - Number.MAX_SAFE_INTEGER : value;
}

function decodeUnit(escape: string): string {
  return String.fromCharCode(Number.parseInt(escape.slice(1), 16));
}

function hex(unit: number, width: number): string {
  return unit.toString(16).padStart(width, "0");
}
