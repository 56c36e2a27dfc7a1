import { Failure } from "../failure.ts";
import type { PromoterCampaign } from "../records.ts";
import type { Collection } from "../storage/collection.ts";
import type { Reader, Store } from "../storage/store.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { findByRefToken } from "./ref-token.ts";

/** Whose records are asked for; all of the account's where all is null. */
export interface Scope {
  promoterCampaignId: number | null;
  refToken: string | null;
  promoterId: number | null;
  campaignId: number | null;
}

type ScopeIndex = "promoterCampaign" | "promoter" | "campaign";
type Listing = { index: ScopeIndex; value: number } | "all" | "none";

/** A page of a list and the length of the whole. */
export interface Listed<R> {
  records: R[];
  total: number;
}

/**
 * A page of the records that belong to a scope, oldest first.
 *
 * Choice: a promotion that does not exist is refused; a promoter or campaign that has nothing, or
 * does not exist, gives an empty list.
 *
 * @throws Failure `not_found` for an unknown promotion
 */
export async function listInScope<R extends { accountId: number }>(
  store: Store,
  from: Collection<R, string, ScopeIndex>,
  { accountId, scope, page }: { accountId: number; scope: Scope; page: { limit: number; offset: number } },
): Promise<Listed<R>> {
  const listing = await listingOf(store, accountId, scope);
  if (listing === "none") return { records: [], total: 0 };
  const isAll = listing === "all";
  const total = await store.tally(from, accountId, isAll ? ["all"] : [listing.index, listing.value]);
  const [index, start] = isAll ? (["id", []] as const) : ([listing.index, [listing.value]] as const);
  return { records: await store.page(from, index, accountId, start, { ...page, total }), total };
}

/** A promoter is in a campaign at most once, so that every combination is one index's listing. */
async function listingOf(reader: Reader, accountId: number, scope: Scope): Promise<Listing> {
  const { promoterId, campaignId } = scope;
  const named = await namedPromoterCampaigns(reader, accountId, scope);
  if (promoterId !== null && campaignId !== null) {
    named.push(await reader.find(promoterCampaigns, "membership", accountId, [promoterId, campaignId]));
  }
  const [first] = named;
  if (first === null) return "none";
  if (first !== undefined) {
    const fits =
      named.every((one) => one?.id === first.id) &&
      (promoterId ?? first.promoterId) === first.promoterId &&
      (campaignId ?? first.campaignId) === first.campaignId;
    return fits ? { index: "promoterCampaign", value: first.id } : "none";
  }
  if (promoterId !== null) return { index: "promoter", value: promoterId };
  return campaignId === null ? "all" : { index: "campaign", value: campaignId };
}

async function namedPromoterCampaigns(
  reader: Reader,
  accountId: number,
  { promoterCampaignId, refToken }: Scope,
): Promise<(PromoterCampaign | null)[]> {
  const named: (PromoterCampaign | null)[] = [];
  if (promoterCampaignId !== null)
    named.push(await reader.get(promoterCampaigns, accountId, promoterCampaignId));
  if (refToken !== null) named.push(await findByRefToken(reader, accountId, refToken));
  if (named.includes(null)) throw new Failure("not_found", "Promotion not found.");
  return named;
}
