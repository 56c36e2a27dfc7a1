import { Failure } from "../failure.ts";
import type { Commission, PromoterCampaign } from "../records.ts";
import type { Collection } from "../storage/collection.ts";
import type { Reader, Store } from "../storage/store.ts";
import { findPage, type Found, type Listing, type Window } from "./listing.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";

/** Whose records are asked for; all of the account's where all is null. */
export interface Scope {
  promoterCampaignId: number | null;
  refToken: string | null;
  promoterId: number | null;
  campaignId: number | null;
}

type ScopeIndex = "promoterCampaign" | "promoter" | "campaign" | "promoterAndCampaign";

/** What a scope is asked of. */
type Scoped = Pick<Commission, "accountId" | "promoterCampaignId">;

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
  const listing = await listingOf<R>(store, accountId, scope);
  if (listing === null) return { records: [], total: 0 };
  return findPage(store, from, { accountId, ...listing, ...page });
}

/**
 * What was earned in a campaign stays there when the promoter moves on, so that neither a promotion nor
 * a promoter tells a record's campaign. Choice: a promotion with a campaign, which says nothing new for
 * most, is answered by a walk over what the promoter has in that campaign.
 */
async function listingOf<R extends Scoped>(
  reader: Reader,
  accountId: number,
  scope: Scope,
): Promise<Omit<Listing<R, ScopeIndex>, "accountId"> | null> {
  const { campaignId } = scope;
  const named = await namedPromoterCampaigns(reader, accountId, scope);
  const [first = null] = named;
  const promoterId = scope.promoterId ?? first?.promoterId ?? null;
  if (first !== null) {
    const fits = named.every(({ id }) => id === first.id) && promoterId === first.promoterId;
    if (!fits) return null;
    if (campaignId === null) return { index: "promoterCampaign", start: [first.id] };
  }
  if (promoterId !== null && campaignId !== null) {
    const keeps = first === null ? undefined : ({ promoterCampaignId }: R) => promoterCampaignId === first.id;
    return { index: "promoterAndCampaign", start: [promoterId, campaignId], keeps };
  }
  if (promoterId !== null) return { index: "promoter", start: [promoterId] };
  return campaignId === null ? { index: "id", start: [] } : { index: "campaign", start: [campaignId] };
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
