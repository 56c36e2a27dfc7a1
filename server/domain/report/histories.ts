import type { Store } from "../../storage/store.ts";
import { firstDayFor, type Figure } from "./figures.ts";
import type { Period } from "./period.ts";
import { addToHistory, type History } from "./running-totals.ts";
import { dailySums, type Series } from "./counters.ts";

/** The id of a series: of a campaign or a promoter campaign, or the fingerprint of an origin's name. */
export type SeriesId = number | string;

/** Running totals by id. */
export type Histories<Id extends SeriesId> = Map<Id, History>;

interface Reading<Id extends SeriesId> {
  range: Period;
  figures: readonly Figure[];
  series: Series;
  /** Maps the id of a series to the id whose totals it belongs to. null: to skip. */
  ownerOf: (id: SeriesId) => Promise<Id | null>;
}

/** Reads the running totals that the figures need. The cost depends on the days that had facts. */
export async function readHistories<Id extends SeriesId>(
  store: Store,
  accountId: number,
  { range, figures, series, ownerOf }: Reading<Id>,
): Promise<Histories<Id>> {
  const histories: Histories<Id> = new Map();
  const days = { series, from: firstDayFor(figures, range.from), to: range.to };
  for await (const sums of dailySums(store, accountId, days)) {
    for (const { id, ...sum } of sums) {
      const owner = await ownerOf(id);
      if (owner === null) continue;
      const history = historyOf(histories, owner);
      histories.set(owner, history);
      addToHistory(history, sum);
    }
  }
  return histories;
}

/** The running totals of an id. Empty if it had no facts. */
export function historyOf<Id extends SeriesId>(histories: Histories<Id>, id: Id): History {
  return histories.get(id) ?? new Map();
}
