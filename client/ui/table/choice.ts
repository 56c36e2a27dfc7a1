import { useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { asRefusal } from "../api/refusal.ts";
import { firstThatMatch, idsOf, these, type Selection } from "../batch/selection.ts";
import { toastRefusal } from "../feedback/toast.tsx";
import type { Filters } from "../fragment.ts";
import type { List, ListFilters, Rows, Wanted } from "./list.ts";

export type Id = number | string;
type Row = { id: Id };

/** Chosen rows: single ones on all pages of a list, or all that match its filters. Changed filters reset the choice. */
export interface Choice {
  /** Single rows. */
  ids: Signal<ReadonlySet<Id>>;
  /** Whether all rows that match are chosen. */
  isAll: ReadonlySignal<boolean>;
  /** The rows of this page. */
  rows: ReadonlySignal<Id[]>;
  /** How many rows match, on all pages. */
  total: ReadonlySignal<number>;
  chooseAll: () => void;
  /** Chooses exactly these rows. */
  chooseOnly: (ids: Id[]) => void;
  /** The chosen records, or null after an error, which was already shown. */
  records: () => Promise<Selection | null>;
}

/** The list to choose from. */
interface Source<F extends ListFilters> {
  filters: Filters<F>;
  list: List<Row>;
  /** Loads the records of the rows, oldest first by default. */
  load: LoadRecords<F>;
}

type LoadRecords<F> = (query: Wanted<F>, signal: AbortSignal) => Promise<Rows<Row>>;

/** Lets the reader choose rows. */
export function useChoice<F extends ListFilters>({ filters, list, load }: Source<F>): Choice {
  const ids = useSignal<ReadonlySet<Id>>(new Set());
  const isAll = useSignal(false);
  const rows = useComputed(() => (list.data.value?.rows ?? []).map(({ id }) => id));
  const total = useComputed(() => list.data.value?.total ?? 0);
  const choice = useMemo<Choice>(
    () => ({
      ids,
      isAll,
      rows,
      total,
      chooseAll: () => (isAll.value = true),
      chooseOnly(some) {
        isAll.value = false;
        ids.value = new Set(some);
      },
      records: async () =>
        isAll.peek() ? allRecords(filters.values.peek(), load) : these([...ids.peek()].flatMap(idsOf)),
    }),
    [],
  );
  // Users must not act on rows that they no longer see.
  useLayoutEffect(() => choice.chooseOnly([]), [conditionsOf(filters.values.value)]);
  return choice;
}

/** The filters that decide which rows match. */
function conditionsOf(filters: ListFilters): string {
  return JSON.stringify({ ...filters, page: "", sort: "" });
}

async function allRecords<F extends ListFilters>(
  filters: F,
  load: LoadRecords<F>,
): Promise<Selection | null> {
  // The work continues when the user leaves the list, so its requests are never aborted.
  const { signal } = new AbortController();
  const page = (number: number, length: number) => load({ ...filters, sort: "", number, length }, signal);
  try {
    return firstThatMatch((await page(1, 1)).total, page);
  } catch (error) {
    toastRefusal(asRefusal(error));
    return null;
  }
}
