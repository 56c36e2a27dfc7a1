import { setImmediate as othersTurn } from "node:timers/promises";
import type { Store } from "../../storage/store.ts";
import type { History } from "./running-totals.ts";
import type { Found, Window } from "../../storage/listing/page-search.ts";
import { promoterName, promoters } from "../promoter/promoter.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";
import { figuresOf, type Figure } from "./figures.ts";
import {
  groupsOf,
  historyOf,
  planOf,
  readHistories,
  refuseTooManyCells,
  type ReportGroup,
  type ReportQuery,
} from "./report.ts";

/** Promoters ranked before other requests get a turn. This takes a few milliseconds. */
const RANKED_AT_ONCE = 1_000;

/** The promoters of a report. */
export interface PromoterSelection {
  /** null: all promoters that had a fact on the days that the figures need. */
  promoterIds: number[] | null;
  /** The largest come first. */
  rankBy: Figure;
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

/** The first promoters by a figure. Equal ones are sorted by id. */
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

/** Reads the promoter of a promoter campaign, each once. null: not wanted, or gone. */
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
