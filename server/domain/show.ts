import { Failure } from "../failure.ts";
import type { View } from "../storage/store.ts";

/**
 * Reads the data that an answer shows of a record. An operation that changes the record calls it within its
 * transaction. The answer then shows the written state, even if the record is deleted right afterwards.
 */
export type Show<R, T> = (view: View, record: R) => Promise<T>;

/** Shows the record alone. */
export async function asItIs<R>(_view: View, record: R): Promise<R> {
  return record;
}

/** Records whose data are read at the same time. More would delay the reads of other requests. */
const AT_ONCE = 25;

/**
 * Reads the data for each record of a list. Records that are deleted meanwhile are left out. A database
 * answers concurrent reads in one query, so the records don't wait for each other.
 */
export async function showAll<R, T>(view: View, records: R[], show: Show<R, T>): Promise<T[]> {
  const shown: T[] = [];
  for (let at = 0; at < records.length; at += AT_ONCE) {
    const some = records.slice(at, at + AT_ONCE);
    const found = await Promise.all(some.map((record) => unlessGone(show(view, record))));
    for (const one of found) if (one !== null) shown.push(one);
  }
  return shown;
}

/** Null if a record that would be shown has been deleted. */
export async function unlessGone<T>(shown: Promise<T>): Promise<T | null> {
  try {
    return await shown;
  } catch (error) {
    if (error instanceof Failure && error.kind === "not_found") return null;
    throw error;
  }
}

/** Remembers the result of a read for each id, for the duration of one request. */
export function once<T>(read: (id: number) => Promise<T>): (id: number) => Promise<T> {
  const known = new Map<number, Promise<T>>();
  return (id) => {
    const value = known.get(id) ?? read(id);
    known.set(id, value);
    return value;
  };
}
