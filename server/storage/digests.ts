import { hash } from "node:crypto";

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

/** A text as a column with an index holds it. A very long one, or one with a NUL, is compared by its hash. */
export function indexed(text: string): string {
  return text.length > MOST_INDEXED || text.includes("\0") ? `sha256:${digest(text)}` : text;
}

/** Hexadecimal digits: 128 bits. */
const FINGERPRINT_LENGTH = 32;

/**
 * A short stand-in for a tuple where only equality counts. It has so much of the SHA-256 that two tuples never share it in
 * practice.
 */
export function fingerprint(tuple: readonly (string | number)[]): string {
  return digest(JSON.stringify(tuple)).slice(0, FINGERPRINT_LENGTH);
}
