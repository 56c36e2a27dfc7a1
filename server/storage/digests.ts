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
  return JSON.stringify(value, (_, part: unknown) => (isObject(part) ? ordered(part) : part));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function ordered(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether two values are the same JSON, in whichever order their names are. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return one === other || orderedJson(one) === orderedJson(other);
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
