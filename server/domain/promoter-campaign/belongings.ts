import { Failure } from "../../failure.ts";
import type { Reader } from "../../storage/store.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import type { PromoterCampaign } from "./record.ts";
import { findByRefToken } from "./ref-token.ts";

/**
 * Limits a list to what belongs to a promoter campaign, promoter or campaign. All null: everything in the account.
 */
export interface BelongingFilter {
  promoterCampaignId: number | null;
  refToken: string | null;
  promoterId: number | null;
  campaignId: number | null;
}

/** The same as conditions of a list. Absent ones do not matter. */
export interface Scope {
  promoterCampaignId?: number;
  promoterId?: number;
  campaignIds?: number[];
}

/**
 * Finds what a filter names. null: its parts contradict each other, so nothing belongs to all of them. A record stays with
 * the campaign that it was earned in, even if the promoter moves on.
 *
 * @throws Failure `not_found` for an unknown promotion. A promoter or campaign that does not exist has an empty list.
 * @see docs/spec/v1.md
 */
export async function findScope(
  reader: Reader,
  accountId: number,
  filter: BelongingFilter,
): Promise<Scope | null> {
  const named = await namedPromoterCampaigns(reader, accountId, filter);
  const [first = null] = named;
  const promoterId = filter.promoterId ?? first?.promoterId ?? null;
  const fits =
    named.every(({ id }) => id === first?.id) && (first === null || first.promoterId === promoterId);
  if (!fits) return null;
  return {
    ...(first !== null && { promoterCampaignId: first.id }),
    ...(promoterId !== null && { promoterId }),
    ...(filter.campaignId !== null && { campaignIds: [filter.campaignId] }),
  };
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
