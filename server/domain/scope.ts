import { Failure } from "../failure.ts";
import type { PromoterCampaign } from "../records.ts";
import type { Collection } from "../storage/collection.ts";
import type { Reader, Store } from "../storage/store.ts";
import { findPage, type Found, type Listing, type Window } from "./listing.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";
import type { Belonging, BelongingIndex } from "./scoped.ts";
import { loadAccountStats, loadPromoterStats, loadStats, type Metric } from "./stats.ts";

/** Whose records are asked for; all of the account's where all is null. */
export interface BelongingFilter {
  promoterCampaignId: number | null;
  refToken: string | null;
  promoterId: number | null;
  campaignId: number | null;
}

interface Asked {
  accountId: number;
  scope: BelongingFilter;
  /** What each of the records counts for once, which tells how long their lists are. */
  metric: Metric;
}

/**
 * A page of the records that belong to a scope, oldest first.
 *
 * Choice: a promotion that does not exist is refused; a promoter or campaign that has nothing, or
 * does not exist, gives an empty list.
 *
 * @throws Failure `not_found` for an unknown promotion
 */
export async function listBelongings<R extends Belonging>(
  store: Store,
  from: Collection<R, string, BelongingIndex>,
  { page, ...asked }: Asked & { page: Window },
): Promise<Found<R>> {
  const { accountId } = asked;
  const listing = await listingOf<R>(store, asked);
  if (listing === null) return { records: [], total: 0 };
  return findPage(store, from, { accountId, ...listing, ...page });
}

/**
 * What was earned in a campaign stays there when the promoter moves on, so that neither a promotion nor
 * a promoter tells a record's campaign. Choice: only promoters and campaigns have lists of their own. What
 * a promoter has in one of several campaigns is found by a walk over all that the promoter has.
 */
async function listingOf<R extends Belonging>(
  store: Store,
  { accountId, scope, metric }: Asked,
): Promise<Omit<Listing<R, BelongingIndex>, "accountId"> | null> {
  const { campaignId } = scope;
  const named = await namedPromoterCampaigns(store, accountId, scope);
  const [first = null] = named;
  const promoterId = scope.promoterId ?? first?.promoterId ?? null;
  if (first !== null) {
    const fits = named.every(({ id }) => id === first.id) && promoterId === first.promoterId;
    if (!fits) return null;
  }
  if (promoterId === null && campaignId === null) {
    return { index: "id", start: [], length: (await loadAccountStats(store, accountId))[metric] };
  }
  if (promoterId === null) {
    const start = [campaignId as number];
    return {
      index: "campaign",
      start,
      length: await store.sum(accountId, ["stats.campaign", ...start, metric]),
    };
  }
  const length = (await loadPromoterStats(store, accountId, promoterId))[metric];
  const whole = { index: "promoter", start: [promoterId], length } as const;
  // Nearly all promoters have such records by one participation alone.
  const isWhole = first === null || (await loadStats(store, first))[metric] === length;
  if (campaignId === null && isWhole) return whole;
  const keeps = (record: R) =>
    (first === null || record.promoterCampaignId === first.id) &&
    (campaignId === null || record.campaignId === campaignId);
  return { ...whole, keeps };
}

async function namedPromoterCampaigns(
  reader: Reader,
  accountId: number,
  { promoterCampaignId, refToken }: BelongingFilter,
): Promise<PromoterCampaign[]> {
  const named: (PromoterCampaign | null)[] = [];
  if (promoterCampaignId !== null)
    named.push(await reader.get(promoterCampaigns, accountId, promoterCampaignId));
  if (refToken !== null) named.push(await findByRefToken(reader, accountId, refToken));
  return named.map((one) => {
    if (one === null) throw new Failure("not_found", "Promotion not found.");
    return one;
  });
}
