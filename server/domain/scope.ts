import { Failure } from "../failure.ts";
import type { PromoterCampaign } from "../records.ts";
import type { Collection } from "../storage/collection.ts";
import type { Reader, Store } from "../storage/store.ts";
import { findPage, type Found, type Listing, type Window } from "./listing.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";
import type { Scoped, ScopeIndex } from "./scoped.ts";

/** Whose records are asked for; all of the account's where all is null. */
export interface Scope {
  promoterCampaignId: number | null;
  refToken: string | null;
  promoterId: number | null;
  campaignId: number | null;
}

/**
 * A page of the records that belong to a scope, oldest first.
 *
 * Choice: a promotion that does not exist is refused; a promoter or campaign that has nothing, or
 * does not exist, gives an empty list.
 *
 * @throws Failure `not_found` for an unknown promotion
 */
export async function listInScope<R extends Scoped>(
  store: Store,
  from: Collection<R, string, ScopeIndex>,
  { accountId, scope, page }: { accountId: number; scope: Scope; page: Window },
): Promise<Found<R>> {
  const listing = await listingOf(store, from, { accountId, scope });
  if (listing === null) return { records: [], total: 0 };
  return findPage(store, from, { accountId, ...listing, ...page });
}

/**
 * What was earned in a campaign stays there when the promoter moves on, so that neither a promotion nor
 * a promoter tells a record's campaign. Choice: only promoters and campaigns have lists of their own. What
 * a promoter has in one of several campaigns is found by a walk over all that the promoter has.
 */
async function listingOf<R extends Scoped>(
  store: Store,
  from: Collection<R, string, ScopeIndex>,
  { accountId, scope }: { accountId: number; scope: Scope },
): Promise<Omit<Listing<R, ScopeIndex>, "accountId"> | null> {
  const { campaignId } = scope;
  const named = await namedPromoterCampaigns(store, accountId, scope);
  const [first = null] = named;
  const promoterId = scope.promoterId ?? first?.promoterId ?? null;
  if (first !== null) {
    const fits = named.every(({ id }) => id === first.id) && promoterId === first.promoterId;
    if (!fits) return null;
  }
  if (promoterId === null)
    return campaignId === null ? { index: "id", start: [] } : { index: "campaign", start: [campaignId] };
  const whole = { index: "promoter", start: [promoterId] } as const;
  if (campaignId === null && (first === null || (await isAll(store, from, first)))) return whole;
  const keeps = (record: R) =>
    (first === null || record.promoterCampaignId === first.id) &&
    (campaignId === null || record.campaignId === campaignId);
  return { ...whole, keeps };
}

/** Whether a promoter has such records by one participation alone, as nearly all have. */
async function isAll<R extends Scoped>(
  store: Store,
  from: Collection<R, string, ScopeIndex>,
  { accountId, promoterId, id }: PromoterCampaign,
): Promise<boolean> {
  const own = await store.tally(from, accountId, ["promoterCampaign", promoterId, id]);
  return own === (await store.tally(from, accountId, ["promoter", promoterId]));
}

async function namedPromoterCampaigns(
  reader: Reader,
  accountId: number,
  { promoterCampaignId, refToken }: Scope,
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
