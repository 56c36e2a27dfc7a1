import { Failure } from "../failure.ts";
import type { Table } from "./table.ts";

/** SQLite's code for a damaged file, so that the engine treats damaged values alike. */
const CORRUPT = 11;

/**
 * Parses a stored document.
 *
 * @throws Failure `unavailable` if it is damaged
 */
export function parseStored<T>(kind: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    const why = `A stored ${kind} is damaged: look at the store with \`tidemark check\`, and restore a backup`;
    const failure = new Failure("unavailable", "The store is damaged; try again later");
    failure.cause = Object.assign(new Error(why), { errcode: CORRUPT });
    throw failure;
  }
}

/** Every request reads the same few accounts, keys and campaigns, so each text is parsed only once. */
const parsed = new Map<string, unknown>();
const MAX_PARSED = 1_000;
const MAX_LENGTH = 4_096;

/**
 * Parses a document. The result is frozen, because all readers of the same text share it.
 *
 * @throws Error for tables with sealed fields, whose documents a view parses
 */
export function parse<R>(from: Table<R>, doc: string): R {
  if (from.sealed !== undefined)
    throw new Error(`A ${from.name} is parsed by a view, which opens its secrets`);
  return parseRaw(from, doc);
}

/** Parses a document, and leaves its secrets sealed. */
export function parseRaw<R>(from: Table<R>, doc: string): R {
  const known = parsed.get(doc);
  if (known !== undefined) return known as R;
  const value = freeze(parseStored<R>(from.name, doc));
  if (doc.length > MAX_LENGTH) return value;
  if (parsed.size >= MAX_PARSED) parsed.clear();
  parsed.set(doc, value);
  return value;
}

/** Makes a value and its parts read-only. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) if (typeof part === "object") freeze(part);
  return Object.freeze(value);
}
