import type { Store } from "../../storage/store.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { promoterName, promoters } from "../promoter/promoter.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import type { Promoter } from "../promoter/record.ts";
import { readHistories, type SeriesId } from "./histories.ts";
import { firstRanked, type Sort } from "./ranking.ts";
import { groupsOf, planOf, refuseTooManyCells, type ReportGroup, type ReportQuery } from "./report.ts";

/** The promoters of a report. */
export interface PromoterSelection {
  /** null: all promoters that had a fact on the days that the figures need. */
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
  const { promoterIds, keeps, sort, page } = query;
  const plan = planOf(query);
  const wanted = promoterIds && (await knownPromoters(store, accountId, promoterIds));
  const histories = await readHistories(store, accountId, {
    ...plan,
    figures: [...query.figures, sort.by],
    series: "promoter-campaign",
    ownerOf: promoterReader(store, accountId, wanted),
  });
  const ids = await kept(store, accountId, { ids: [...(wanted ?? histories.keys())], keeps });
  const first = await firstRanked(ids, histories, { ...query, limit: page.offset + page.limit });
  const shown = first.slice(page.offset);
  refuseTooManyCells(plan, shown.length);
  const found = [];
  for (const id of shown) {
    const promoter = await store.get(promoters, accountId, id);
    if (promoter !== null) found.push({ id, name: promoterName(promoter) });
  }
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

async function knownPromoters(store: Store, accountId: number, ids: number[]): Promise<Set<number>> {
  const known = new Set<number>();
  for (const id of ids) if ((await store.get(promoters, accountId, id)) !== null) known.add(id);
  return known;
}

/** Reads the promoter of a promoter campaign, each once. null: not wanted, or gone. */
function promoterReader(store: Store, accountId: number, wanted: Set<number> | null) {
  const known = new Map<number, number | null>();
  return async (id: SeriesId): Promise<number | null> => {
    if (typeof id !== "number") return null;
    let promoterId = known.get(id);
    if (promoterId === undefined) {
      const promoterCampaign = await store.get(promoterCampaigns, accountId, id);
      promoterId = promoterCampaign?.promoterId ?? null;
      if (promoterId !== null && wanted?.has(promoterId) === false) promoterId = null;
      known.set(id, promoterId);
    }
    return promoterId;
  };
}
