import { lengthCounter, type Collection } from "../storage/collection.ts";
import type { Key } from "../storage/keys.ts";
import type { Store } from "../storage/store.ts";

/** Which part of a list is wanted. */
export interface Window {
  limit: number;
  offset: number;
}

/** A page of a list, and how long the whole list is. */
export interface Found<R> {
  records: R[];
  total: number;
}

/** Records below one value of an index, and what else they must be. */
export interface Listing<R, Index extends string> {
  accountId: number;
  index: Index | "id";
  start: Key;
  /** Whether the last come first; a walk with `keeps` goes by the index. */
  reverse?: boolean;
  /** Absent: all of them are meant. */
  keeps?: ((record: R) => boolean | Promise<boolean>) | undefined;
  /** How many all of them are. Absent: the listing's own counter knows. */
  length?: number;
}

/** A page of a listing. Only where `keeps` asks more than an index knows are its records walked. */
export async function findPage<R, Index extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  listing: Listing<R, Index> & Window,
): Promise<Found<R>> {
  const { accountId, index, start, reverse = false, keeps, limit, offset } = listing;
  if (keeps === undefined) {
    const total = listing.length ?? (await store.sum(accountId, lengthCounter(from, index, start)));
    const records = await store.page(from, index, accountId, start, { limit, offset, reverse, total });
    return { records, total };
  }
  const found: Found<R> = { records: [], total: 0 };
  for await (const chunk of store.scan(from, index, accountId, start)) {
    for (const record of chunk) {
      if (!(await keeps(record))) continue;
      if (found.total >= offset && found.records.length < limit) found.records.push(record);
      found.total += 1;
    }
  }
  return found;
}
