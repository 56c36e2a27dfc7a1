import { Failure } from "../../failure.ts";
import type { Reader, Transaction } from "../../storage/store.ts";
import { acceptsLeads, loadPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import { findByRefToken } from "../promoter-campaign/ref-token.ts";
import type { Lead } from "./record.ts";

/** Names the promoter campaign that a lead should belong to. undefined: not given. */
export interface OwnerName {
  refToken?: string | undefined;
  promoterCampaignId?: number | undefined;
}

/**
 * The promoter campaign that a lead should move to. null: none is named, or the lead already belongs to it.
 *
 * @throws Failure `not_found`, `refused` if it is named by id and not accepted
 */
export async function findTarget(
  tx: Transaction,
  { accountId, promoterCampaignId }: Lead,
  name: OwnerName,
): Promise<PromoterCampaign | null> {
  if (name.promoterCampaignId === promoterCampaignId) return null;
  if (name.promoterCampaignId !== undefined) return loadOwner(tx, accountId, name.promoterCampaignId);
  if (name.refToken === undefined) return null;
  const target = await findByRefToken(tx, accountId, name.refToken);
  if (target?.id === promoterCampaignId) return null;
  // As with sign-ups, only accepted promoters receive leads.
  if (target === null || !acceptsLeads(target)) throw new Failure("not_found", "Promotion not found.");
  return target;
}

/**
 * The promoter campaign with this id, which may get leads.
 *
 * @throws Failure `not_found`, `refused` if it is not accepted
 */
export async function loadOwner(reader: Reader, accountId: number, id: number): Promise<PromoterCampaign> {
  const owner = await loadPromoterCampaign(reader, accountId, id);
  requireAccepted(owner);
  return owner;
}

/** @throws Failure `refused` if the promoter campaign may not get leads */
export function requireAccepted(owner: PromoterCampaign): void {
  if (acceptsLeads(owner)) return;
  throw new Failure("refused", `The promoter campaign is ${owner.state} and can't get leads`);
}

/** The lead under its new owner. The new owner's part of a split becomes part of the rest, which is the owner's. */
export function belongingTo(lead: Lead, owner: PromoterCampaign): Lead {
  const splits = lead.splits?.filter(({ promoterCampaignId }) => promoterCampaignId !== owner.id) ?? [];
  return {
    ...lead,
    promoterCampaignId: owner.id,
    promoterId: owner.promoterId,
    campaignId: owner.campaignId,
    splits: splits.length === 0 ? null : splits,
  };
}
