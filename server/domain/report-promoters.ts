import { setImmediate as othersTurn } from "node:timers/promises";
import type { Store } from "../storage/store.ts";
import type { History } from "./history.ts";
import type { Found, Window } from "./listing.ts";
import { promoterName, promoters } from "./promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { figuresOf, type Figure } from "./report-figures.ts";
import {
  groupsOf,
  historyOf,
  planOf,
  readHistories,
  refuseTooManyCells,
  type ReportGroup,
  type ReportQuery,
} from "./report.ts";

/** Promoters ranked before others get their turn: a few milliseconds' worth. */
const RANKED_AT_ONCE = 1_000;

/** Which promoters a report is about. */
export interface PromoterSelection {
  /** null: all that had a fact on the days that the figures are made of. */
  promoterIds: number[] | null;
  /** The greatest come first. */
  rankBy: Figure;
  page: Window;
}

/**
 * A page of promoters in the order of one figure. Choice: the e-mail address stands for a promoter who
 * gave no name.
 *
 * @throws Failure `invalid`
 */
export async function reportPromoters(
  store: Store,
  accountId: number,
  query: ReportQuery & PromoterSelection,
): Promise<Found<ReportGroup>> {
  const { promoterIds, rankBy, page } = query;
  const plan = planOf(query);
  const wanted = promoterIds && (await knownPromoters(store, accountId, promoterIds));
  const histories = await readHistories(store, accountId, {
    ...plan,
    figures: [...query.figures, rankBy],
    series: "promoter-campaign",
    ownerOf: promoterReader(store, accountId, wanted),
  });
  const ids = [...(wanted ?? histories.keys())];
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

/** The first of the promoters by a figure; equal ones by their ids. */
async function firstRanked(
  ids: number[],
  histories: Map<number, History>,
  { range, rankBy, limit }: Pick<ReportQuery, "range"> & { rankBy: Figure; limit: number },
): Promise<number[]> {
  let first: { id: number; value: number }[] = [];
  for (let at = 0; at < ids.length; at += RANKED_AT_ONCE) {
    for (const id of ids.slice(at, at + RANKED_AT_ONCE)) {
      first.push({ id, value: figuresOf(historyOf(histories, id), range, [rankBy])[rankBy] ?? 0 });
    }
    first = first.sort((one, other) => other.value - one.value || one.id - other.id).slice(0, limit);
    await othersTurn();
  }
  return first.map(({ id }) => id);
}

async function knownPromoters(store: Store, accountId: number, ids: number[]): Promise<Set<number>> {
  const known = new Set<number>();
  for (const id of ids) if ((await store.get(promoters, accountId, id)) !== null) known.add(id);
  return known;
}

/** Gives the promoter of a promoter campaign, each read once; null where not wanted, or gone. */
function promoterReader(store: Store, accountId: number, wanted: Set<number> | null) {
  const known = new Map<number, number | null>();
  return async (id: number): Promise<number | null> => {
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
