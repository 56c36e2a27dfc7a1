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
