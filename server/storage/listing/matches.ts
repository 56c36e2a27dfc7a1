import { setImmediate as othersTurn } from "node:timers/promises";
import type { Collection } from "../collection.ts";
import type { Store } from "../store.ts";
import type { Search, SearchRange } from "./filter-search.ts";
import type { Found } from "./page-search.ts";

/** A page of a range that holds exactly the matches, by id. Only its keys are read besides. */
export async function firstIds<R, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  { accountId, range, offset, limit }: Search<R, Index, Filter> & { range: SearchRange<Index, Filter> },
): Promise<R[]> {
  const ids: number[] = [];
  const { index, start, between } = range;
  for await (const keys of store.scanKeys(from, index, accountId, start, between)) {
    for (const key of keys) ids.push(Number(key.at(-1)));
  }
  ids.sort((left, right) => left - right);
  return load(store, from, { accountId, ids: ids.slice(offset, offset + limit) });
}

/** Records that are read at once at first, and at most. */
const FIRST_CHUNK = 100;
const LARGEST_CHUNK = 1_600;

/** Reads the records of a range in its order until a page of matches is full. */
export async function readInOrder<R, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  search: Search<R, Index, Filter> & { range: SearchRange<Index, Filter>; total: number; reverse: boolean },
): Promise<R[]> {
  const { accountId, range, offset, limit, reverse } = search;
  const end = Math.min(search.total, offset + limit);
  const passes = await search.newJudge();
  const found: R[] = [];
  let [seen, at] = [0, 0];
  for (let size = FIRST_CHUNK; seen < end; size = Math.min(2 * size, LARGEST_CHUNK)) {
    const page = { limit: size, offset: at, reverse, between: range.between };
    const chunk = await store.page(from, range.index, accountId, range.start, page);
    for (const record of chunk) {
      if (seen === end || !(await passes(record))) continue;
      if (seen >= offset) found.push(record);
      seen += 1;
    }
    at += size;
    if (chunk.length === 0) break;
    await othersTurn();
  }
  return found;
}

/** Reads all records of a range, and sorts those that match. */
export async function walk<R extends { id: number }, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  search: Search<R, Index, Filter> & { range: SearchRange<Index, Filter> },
): Promise<Found<R>> {
  const { accountId, sorting, offset, limit } = search;
  const passes = await search.newJudge();
  const matches: Match[] = [];
  for await (const chunk of candidates(store, from, search)) {
    for (const record of chunk) {
      if (!(await passes(record))) continue;
      // Only what sorts them is kept, because there may be very many.
      matches.push({
        id: record.id,
        ranks: sorting.map(({ by }) => Number(from.indexes[by](record)?.[0] ?? 0)),
      });
    }
  }
  if (sorting.length > 0 || search.range.sortedBy !== undefined) sortMatches(matches, sorting);
  const ids = matches.slice(offset, offset + limit).map(({ id }) => id);
  return { records: await load(store, from, { accountId, ids }), total: matches.length };
}

async function* candidates<R, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  { accountId, ids, range }: Search<R, Index, Filter> & { range: SearchRange<Index, Filter> },
): AsyncGenerator<R[]> {
  if (ids === undefined) return yield* store.scan(from, range.index, accountId, range.start, range.between);
  yield load(store, from, { accountId, ids: [...new Set(ids)].sort((left, right) => left - right) });
}

/** The records with these ids that still exist. */
async function load<R, Index extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  { accountId, ids }: { accountId: number; ids: number[] },
): Promise<R[]> {
  const found = await Promise.all(ids.map((id) => store.get(from, accountId, id)));
  return found.filter((record) => record !== null);
}

interface Match {
  id: number;
  ranks: number[];
}

function sortMatches(matches: Match[], sorting: { isDescending: boolean }[]): void {
  const signs = sorting.map(({ isDescending }) => (isDescending ? -1 : 1));
  matches.sort((left, right) => {
    for (const [at, sign] of signs.entries()) {
      const difference = (left.ranks[at] ?? 0) - (right.ranks[at] ?? 0);
      if (difference !== 0) return sign * difference;
    }
    return (signs[0] ?? 1) * (left.id - right.id);
  });
}
