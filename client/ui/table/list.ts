import { useLoad, type Loaded } from "../api/load.ts";
import type { Filters } from "../fragment.ts";

/** Rows per page. */
export const PAGE_LENGTH = 25;

/** A page of records, and how many there are on all pages. */
export interface Rows<R> {
  rows: R[];
  total: number;
}

/** The filters of every list. `sort` is the name of an order, with a leading `-` if it is descending. */
export type ListFilters = { page: string; sort: string };

/** The filters of a list, with the page to load. `length` is `PAGE_LENGTH` by default. */
export type Wanted<F> = F & { number: number; length?: number };

/** A list that is loaded page by page, with filters in the URL. */
export interface List<R> extends Loaded<Rows<R>> {
  filters: Filters<ListFilters>;
}

/** Loads a list whenever its filters change. */
export function useList<R, F extends ListFilters>(
  filters: Filters<F>,
  load: (query: Wanted<F>, signal: AbortSignal) => Promise<Rows<R>>,
): List<R> {
  const query = filters.values.value;
  const number = Math.max(1, Math.trunc(Number(query.page)) || 1);
  const loaded = useLoad((signal) => load({ ...query, number }, signal), [JSON.stringify(query)]);
  return { ...loaded, filters: filters as unknown as Filters<ListFilters> };
}

/** The name and the direction of an order. */
export function orderOf(sort: string): { name: string; direction: "asc" | "desc" } {
  return sort.startsWith("-") ? { name: sort.slice(1), direction: "desc" } : { name: sort, direction: "asc" };
}
