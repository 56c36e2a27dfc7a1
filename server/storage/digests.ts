import { hash } from "node:crypto";
import { storable } from "./storable.ts";

/**
 * The hexadecimal SHA-256 of a text, for keys that must hide the text or that it would make too long. It is that of the
 * text as a column holds it, so that it stays the same when the record is read and written again.
 */
export function digest(text: string): string {
  return hash("sha256", storable(text), "hex");
}

/** JSON with the names of each object in one order. Stored documents are read in the order of the engine. */
export function orderedJson(value: unknown): string {
  return JSON.stringify(inOrder(value));
}

/** A copy of a JSON value with the names of each object in one order. */
export function inOrder(value: unknown): unknown {
  if (!isPlain(value)) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, part]) => [name, inOrder(part)]));
}

/** Whether two values are the same JSON, in whichever order their names are. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isPlain(one) || !isPlain(other)) return JSON.stringify(one) === JSON.stringify(other);
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSameJson(one[name], other[name]));
}

/** An object or a list. A date is written as a text. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !(value instanceof Date);
}

/** A number that lists show in place of a secret hash. 48 bits are enough to tell a few apart. */
export function numberOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16);
}

/** Postgres' limit for an index entry is 2,700 bytes. */
const MOST_INDEXED = 600;

/** The form in which an indexed column holds a text. A very long one is its hash. */
export function indexed(text: string): string {
  return text.length > MOST_INDEXED ? `sha256:${digest(text)}` : storable(text);
}

/** Hexadecimal digits: 128 bits. */
const FINGERPRINT_LENGTH = 32;

/**
 * A short substitute for a tuple that is only compared for equality. It keeps enough of the SHA-256 to rule
 * out collisions.
 */
export function fingerprint(tuple: readonly (string | number)[]): string {
  return digest(
    JSON.stringify(tuple.map((part) => (typeof part === "string" ? storable(part) : part))),
  ).slice(0, FINGERPRINT_LENGTH);
}
