import { lengthCounter, type Collection } from "../collection.ts";
import type { Key } from "../keys.ts";
import type { Store } from "../store.ts";

/** The part of a list to read. */
export interface Window {
  limit: number;
  offset: number;
}

/** A page of a list, and the length of the whole list. */
export interface Found<R> {
  records: R[];
  total: number;
}

/** The records below one value of an index, with a further condition. */
export interface Listing<R, Index extends string> {
  accountId: number;
  index: Index | "id";
  start: Key;
  /** Newest first. */
  reverse?: boolean;
  /** Absent: all records are meant. */
  keeps?: ((record: R) => boolean | Promise<boolean>) | undefined;
  /** How many records match. Absent: the listing's own counter knows. */
  length?: number;
}

/** Records that are read together on the way to a page. */
const CHUNK = 500;

/** A page of a listing in which nearly all records match, whose number is known. It is read up to the page's end. */
export async function readInOrder<R, Index extends string>(
  store: Store,
  collection: Collection<R, string, Index>,
  {
    accountId,
    index,
    start,
    reverse = false,
    keeps,
    limit,
    offset,
    length,
  }: Listing<R, Index> & Window & { keeps: (record: R) => boolean; length: number },
): Promise<Found<R>> {
  const end = Math.min(length, offset + limit);
  const records: R[] = [];
  let seen = 0;
  for (let at = 0; seen < end; at += CHUNK) {
    const chunk = await store.page(collection, index, accountId, start, {
      limit: CHUNK,
      offset: at,
      reverse,
    });
    if (chunk.length === 0) break;
    const matches = chunk.filter(keeps);
    records.push(...matches.slice(Math.max(0, offset - seen), Math.max(0, end - seen)));
    seen += matches.length;
  }
  return { records, total: length };
}

/** A page of a listing. Its records are read one by one only if `keeps` is given. */
export async function findPage<R, Index extends string>(
  store: Store,
  collection: Collection<R, string, Index>,
  listing: Listing<R, Index> & Window,
): Promise<Found<R>> {
  const { accountId, index, start, reverse = false, keeps, limit, offset } = listing;
  if (keeps === undefined) {
    const total = listing.length ?? (await store.sum(accountId, lengthCounter(collection, index, start)));
    const records = await store.page(collection, index, accountId, start, { limit, offset, reverse, total });
    return { records, total };
  }
  // Of a reversed listing the last matches are the first page, and only the end of the walk tells them.
  const [from, before] = reverse ? [0, Infinity] : [offset, offset + limit];
  const found: Found<R> = { records: [], total: 0 };
  for await (const chunk of store.scan(collection, index, accountId, start)) {
    for (const record of chunk) {
      if (!(await keeps(record))) continue;
      if (found.total >= from && found.total < before) found.records.push(record);
      if (reverse && found.records.length > offset + limit) found.records.shift();
      found.total += 1;
    }
  }
  return reverse ? { ...found, records: found.records.toReversed().slice(offset, offset + limit) } : found;
}
