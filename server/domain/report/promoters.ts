import type { Store } from "../../storage/store.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { promoterName, promoters } from "../promoter/promoter.ts";
import type { Promoter } from "../promoter/record.ts";
import { readHistories, readPromoterHistories } from "./histories.ts";
import { firstRanked, type Sort } from "./ranking.ts";
import { isEmpty } from "./history.ts";
import type { SeriesId } from "./series.ts";
import { groupsOf, planOf, refuseTooManyCells, type ReportGroup, type ReportQuery } from "./report.ts";

/** The promoters of a report. */
export interface PromoterSelection {
  /** null: all promoters that had a fact which the figures need. */
  promoterIds: number[] | null;
  keeps?: ((promoter: Promoter) => boolean) | undefined;
  sort: Sort;
  page: Window;
}

/**
 * A page of promoters sorted by one figure.
 *
 * Choice: a promoter without a name is shown by e-mail address.
 *
 * @throws Failure `invalid`
 */
export async function reportPromoters(
  store: Store,
  accountId: number,
  query: ReportQuery & PromoterSelection,
): Promise<Found<ReportGroup>> {
  const { promoterIds, keeps, range, figures, sort, page } = query;
  const plan = planOf(query);
  const known = await knownPromoters(store, accountId, promoterIds);
  const ranking = await readHistories(store, accountId, {
    periods: [range],
    figures: [...figures, sort.by],
    series: "promoter",
    ownerOf: (id) => (known.has(id) ? Number(id) : null),
  });
  const ranked = [...ranking].flatMap(([id, history]) => (isEmpty(history) ? [] : [id]));
  const ids = await kept(store, accountId, { ids: promoterIds ? [...known].map(Number) : ranked, keeps });
  const first = await firstRanked(ids, ranking, { ...query, limit: page.offset + page.limit });
  const shown = first.slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const found = [];
  for (const id of shown) {
    const promoter = await store.get(promoters, accountId, id);
    if (promoter !== null) found.push({ id, name: promoterName(promoter) });
  }
  const histories = await readPromoterHistories(store, accountId, { ...plan, ids: shown });
  return { records: await groupsOf(found, plan, histories), total: ids.length };
}

async function kept(
  store: Store,
  accountId: number,
  { ids, keeps }: { ids: number[]; keeps: PromoterSelection["keeps"] },
): Promise<number[]> {
  if (keeps === undefined) return ids;
  const found: number[] = [];
  for (const id of ids) {
    const promoter = await store.get(promoters, accountId, id);
    if (promoter !== null && keeps(promoter)) found.push(id);
  }
  return found;
}

/** The ids of the promoters that exist, of all or of some. Leads of a deleted one still count for it. */
async function knownPromoters(store: Store, accountId: number, ids: number[] | null): Promise<Set<SeriesId>> {
  const known = new Set<SeriesId>();
  if (ids === null) {
    // This index holds all promoters, and its keys are read without their records.
    for await (const keys of store.scanKeys(promoters, "archived", accountId, []))
      for (const [, id = 0] of keys) known.add(id);
    return known;
  }
  for (const id of ids) if ((await store.get(promoters, accountId, id)) !== null) known.add(id);
  return known;
}
