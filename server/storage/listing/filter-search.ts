import type { Collection } from "../collection.ts";
import { lengthCounter } from "../collection.ts";
import type { Key } from "../keys.ts";
import type { Store } from "../store.ts";
import type { Found, Window } from "./page-search.ts";

/** An index range that holds every match, and the filters that all its records pass. */
export interface SearchRange<Index extends string, Filter extends string> {
  index: Index | "id";
  start: Key;
  passes: Filter[];
  /** Reads the number of its records. Absent: the listing's own counter has it. */
  length?: () => Promise<number>;
}

/** The index that a list is sorted by, and the direction. */
export interface Sort<Index extends string> {
  by: Index;
  isDescending: boolean;
}

/** A search with any filters and sort orders. */
export interface Search<R, Index extends string, Filter extends string> extends Window {
  accountId: number;
  /** The filters that were given. */
  given: Filter[];
  /** Ranges to choose from. The first one holds all records. */
  ranges: SearchRange<Index, Filter>[];
  /** Absent: records with any id. */
  ids?: number[] | undefined;
  /** The first one decides, then the next. Ties are sorted by id, in the direction of the first. */
  sorting: Sort<Index>[];
  /** Makes the test whether a record passes every filter. */
  newJudge: () => Promise<(record: R) => boolean | Promise<boolean>>;
}

/**
 * A page of the records that pass a search, sorted by id unless told otherwise.
 *
 * If one index holds exactly these records in this order, only the page is read. Otherwise the shortest range that
 * holds every match is read, with pauses for other requests.
 */
export async function searchPage<R extends { id: number }, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  search: Search<R, Index, Filter>,
): Promise<Found<R>> {
  const { accountId, given, sorting, limit, offset } = search;
  const { range, total } = await shortest(store, from, search);
  const [sort, ...others] = sorting;
  const isExact = given.every((name) => range.passes.includes(name));
  if (!isExact || (sort !== undefined && given.length + others.length > 0)) {
    return walk(store, from, { ...search, range });
  }
  const page = { limit, offset, total, reverse: sort?.isDescending ?? false };
  const index = sort?.by ?? range.index;
  return { records: await store.page(from, index, accountId, range.start, page), total };
}

async function shortest<R, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  { accountId, ranges }: Search<R, Index, Filter>,
) {
  const counted = [];
  for (const range of ranges) {
    const counter = lengthCounter(from, range.index, range.start);
    counted.push({ range, total: (await range.length?.()) ?? (await store.sum(accountId, counter)) });
  }
  // Of ranges with equal length, the last one covers the most filters.
  return counted.reduce((best, next) => (next.total <= best.total ? next : best));
}

async function walk<R extends { id: number }, Index extends string, Filter extends string>(
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
  if (sorting.length > 0) sortMatches(matches, sorting);
  const page = matches.slice(offset, offset + limit);
  const found = await Promise.all(page.map(({ id }) => store.get(from, accountId, id)));
  return { records: found.filter((record) => record !== null), total: matches.length };
}

async function* candidates<R, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  { accountId, ids, range }: Search<R, Index, Filter> & { range: SearchRange<Index, Filter> },
): AsyncGenerator<R[]> {
  if (ids === undefined) return yield* store.scan(from, range.index, accountId, range.start);
  const unique = [...new Set(ids)].sort((left, right) => left - right);
  const found = await Promise.all(unique.map((id) => store.get(from, accountId, id)));
  yield found.filter((record) => record !== null);
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
