import { setImmediate as othersTurn } from "node:timers/promises";
import type { Period } from "./period.ts";
import { figureIn, type Figure } from "./figures.ts";
import { historyOf, type Histories, type SubjectId } from "./histories.ts";

/** Ids ranked before other requests get a turn. This takes a few milliseconds. */
const RANKED_AT_ONCE = 1_000;

/** The figure that a report is sorted by. */
export interface Sort {
  by: Figure;
  isDescending: boolean;
}

/** The first ids by a figure. Equal ones are sorted by id. */
export async function firstRanked<Id extends SubjectId>(
  ids: Id[],
  histories: Histories<Id>,
  { range, sort, limit }: { range: Period; sort: Sort; limit: number },
): Promise<Id[]> {
  const sign = sort.isDescending ? -1 : 1;
  const valueOf = figureIn(range, sort.by);
  let first: { id: Id; value: number }[] = [];
  for (let at = 0; at < ids.length; at += RANKED_AT_ONCE) {
    for (const id of ids.slice(at, at + RANKED_AT_ONCE)) {
      first.push({ id, value: valueOf(historyOf(histories, id)) });
    }
    first.sort((one, other) => sign * (one.value - other.value) || (one.id < other.id ? -1 : 1));
    first = first.slice(0, limit);
    await othersTurn();
  }
  return first.map(({ id }) => id);
}
