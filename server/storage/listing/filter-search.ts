import type { Collection } from "../collection.ts";
import { lengthCounter } from "../collection.ts";
import type { Key } from "../keys.ts";
import type { Between, Store } from "../store.ts";
import { firstIds, readInOrder, walk } from "./matches.ts";
import type { Found, Window } from "./page-search.ts";

/** An index range that holds every match, and the filters that all its records pass. */
export interface SearchRange<Index extends string, Filter extends string> {
  index: Index | "id";
  start: Key;
  between?: Between;
  /** The order of its records. Absent: by id. */
  sortedBy?: Index;
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
  /** Numbers of records that are known for several filters together, although no index holds these records alone. */
  counted?: { passes: Filter[]; length: () => Promise<number> }[];
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
 * If one index holds exactly these records in this order, only the page is read. If a counter knows their number,
 * records may be read in the wanted order until the page is full. Otherwise the shortest range that holds every match
 * is read, with pauses for other requests.
 */
export async function searchPage<R extends { id: number }, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  search: Search<R, Index, Filter>,
): Promise<Found<R>> {
  const { accountId, sorting, limit, offset } = search;
  const { measured, range, total } = await measure(store, from, search);
  const all = measured[0] ?? range;
  const [sort, ...others] = sorting;
  if (total === null || others.length > 0) return walk(store, from, { ...search, range });
  const reverse = sort?.isDescending ?? false;
  const isExact = isComplete(search, range);
  const isInOrder = range.sortedBy === sort?.by;
  if (isExact && (isInOrder || range === all)) {
    const { index, start, between } = range === all && sort ? { ...range, index: sort.by } : range;
    const page = { limit, offset, total, reverse, between };
    return { records: await store.page(from, index, accountId, start, page), total };
  }
  if (isExact && sort === undefined)
    return { records: await firstIds(store, from, { ...search, range }), total };
  const sorted = sort && measured.find(({ sortedBy }) => sortedBy === sort.by);
  const ordered = isInOrder ? range : (sorted ?? { ...all, index: sort?.by ?? ("id" as const) });
  // If the matches are spread evenly.
  const readCount = ((offset + limit) * ordered.total) / total;
  if (total > 0 && readCount >= range.total) return walk(store, from, { ...search, range });
  return { records: await readInOrder(store, from, { ...search, range: ordered, total, reverse }), total };
}

type Measured<Index extends string, Filter extends string> = SearchRange<Index, Filter> & { total: number };

/** All ranges with their lengths, the shortest one, and the number of matches. null: it is not known. */
async function measure<R, Index extends string, Filter extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  search: Search<R, Index, Filter>,
) {
  const { accountId, ranges, counted = [] } = search;
  const measured: Measured<Index, Filter>[] = [];
  for (const range of ranges) {
    const counter = lengthCounter(from, range.index, range.start);
    measured.push({ ...range, total: (await range.length?.()) ?? (await store.sum(accountId, counter)) });
  }
  // Of ranges with equal length, the last one covers the most filters.
  const range = measured.reduce((best, next) => (next.total <= best.total ? next : best));
  if (isComplete(search, range)) return { measured, range, total: range.total };
  const known = counted.find((each) => isComplete(search, each));
  return { measured, range, total: (await known?.length()) ?? null };
}

/** Whether passing these filters means to pass all that were given. */
function isComplete<Filter extends string>(
  { given }: { given: Filter[] },
  { passes }: { passes: Filter[] },
): boolean {
  return given.every((name) => passes.includes(name));
}
