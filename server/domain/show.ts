import { Failure } from "../failure.ts";
import type { View } from "../storage/store.ts";

/**
 * Reads what an answer shows of a record. An operation that changes the record calls it within its transaction: what
 * is answered is then what was written, and a record that goes right afterwards can't turn a success into a 404.
 */
export type Show<R, T> = (view: View, record: R) => Promise<T>;

/** Shows a record alone. */
export async function asItIs<R>(_view: View, record: R): Promise<R> {
  return record;
}

/** What an answer shows of each record of a list. Records that are deleted while the list is read are left out. */
export async function showAll<R, T>(view: View, records: R[], show: Show<R, T>): Promise<T[]> {
  const shown: T[] = [];
  for (const record of records) {
    const one = await unlessGone(show(view, record));
    if (one !== null) shown.push(one);
  }
  return shown;
}

/** null where something that would be shown has been deleted. */
export async function unlessGone<T>(shown: Promise<T>): Promise<T | null> {
  try {
    return await shown;
  } catch (error) {
    if (error instanceof Failure && error.kind === "not_found") return null;
    throw error;
  }
}
