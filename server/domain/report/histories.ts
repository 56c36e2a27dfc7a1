import type { Store } from "../../storage/store.ts";
import { daysFor, metricsFor, type Figure } from "./figures.ts";
import type { Period } from "./period.ts";
import { addToHistory, addToTrack, newTrack, type History, type Track } from "./history.ts";
import type { Series } from "./counters.ts";
import { promoterSums, seriesSums, type SeriesId } from "./series.ts";
import { stretchesBetween, type Stretch } from "./stretch.ts";

/** Running totals by id. */
export type Histories<Id extends SeriesId> = Map<Id, History>;

interface Reading<Id extends SeriesId> {
  /** The periods whose figures will be computed. */
  periods: Period[];
  figures: readonly Figure[];
  series: Series;
  /** Maps the id of a series to the id whose totals it belongs to. null: to skip. */
  ownerOf: (id: SeriesId) => Id | null;
}

/** Reads the running totals that the figures need. The cost depends on the days that had facts. */
export async function readHistories<Id extends SeriesId>(
  store: Store,
  accountId: number,
  { periods, figures, series, ownerOf }: Reading<Id>,
): Promise<Histories<Id>> {
  const histories: Histories<Id> = new Map();
  const stretches = stretchesOf(series, daysFor(figures, periods));
  for (const metric of metricsFor(figures)) {
    const tracks = new Map<Id, Track>();
    for (const stretch of stretches) {
      for await (const sums of seriesSums(store, accountId, { series, metric, stretch })) {
        for (const { id, day, sum } of sums) {
          const owner = ownerOf(id);
          if (owner === null) continue;
          let track = tracks.get(owner);
          if (track === undefined) tracks.set(owner, (track = newTrack()));
          addToTrack(track, stretch.at ?? day, stretch.sign * sum);
        }
      }
    }
    for (const [id, track] of tracks) historyIn(histories, id).set(metric, track);
  }
  return histories;
}

/** Promoters that are read one by one. Reading all of them costs less for more. */
const MOST_ALONE = 100;

/** Reads the running totals of some promoters. */
export async function readPromoterHistories(
  store: Store,
  accountId: number,
  { ids, periods, figures }: Pick<Reading<number>, "periods" | "figures"> & { ids: number[] },
): Promise<Histories<number>> {
  if (ids.length > MOST_ALONE) {
    const wanted = new Set<SeriesId>(ids);
    const ownerOf = (id: SeriesId) => (wanted.has(id) ? Number(id) : null);
    return readHistories(store, accountId, { periods, figures, series: "promoter", ownerOf });
  }
  const histories: Histories<number> = new Map();
  const stretches = stretchesOf("promoter", daysFor(figures, periods));
  const readOne = async (promoterId: number) => {
    for (const metric of metricsFor(figures)) {
      for (const stretch of stretches) {
        for await (const sums of promoterSums(store, accountId, { promoterId, metric, stretch })) {
          for (const { day, sum } of sums) {
            const counted = { metric, day: stretch.at ?? day, sum: stretch.sign * sum };
            addToHistory(historyIn(histories, promoterId), counted);
          }
        }
      }
    }
  };
  // All at once, because a remote store answers them together.
  await Promise.all(ids.map(readOne));
  return histories;
}

/** Campaigns have no monthly counters. They are few, so all their days are read. */
function stretchesOf(series: Series, days: string[]): Stretch[] {
  if (series !== "campaign") return stretchesBetween(days);
  const [from = "", before = ""] = [days.at(0), days.at(-1)];
  return [{ grain: "day", from, before, sign: 1, at: null }];
}

/** The running totals of an id, to add to. */
function historyIn<Id extends SeriesId>(histories: Histories<Id>, id: Id): History {
  let history = histories.get(id);
  if (history === undefined) histories.set(id, (history = new Map()));
  return history;
}

/** The running totals of an id. Empty if it had no facts. */
export function historyOf<Id extends SeriesId>(histories: Histories<Id>, id: Id): History {
  return histories.get(id) ?? new Map();
}
