import { Failure } from "../../failure.ts";
import type { PromoterCampaign } from "./record.ts";
import type { Transaction, View } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { promoters } from "../promoter/promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";

/** Names a promoter campaign by its promoter and its campaign. */
export interface PromoterInCampaign {
  promoterId: number;
  campaignId: number;
}

/** All promoter campaigns of a promoter, oldest first. */
export function listPromoterCampaigns(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<PromoterCampaign[]> {
  return view.list(promoterCampaigns, "promoter", accountId, [promoterId]);
}

/**
 * All promoter campaigns of a promoter. Nobody changes them, or adds any, until the transaction has ended: whoever adds
 * something for the promoter reads the promoter or the promoter campaign.
 */
export async function lockPromoterCampaigns(
  tx: Transaction,
  { accountId, id }: { accountId: number; id: number },
): Promise<PromoterCampaign[]> {
  await tx.lock(promoters, accountId, id);
  const found: PromoterCampaign[] = [];
  for (const listed of await listPromoterCampaigns(tx.view, accountId, id)) {
    const locked = await tx.lock(promoterCampaigns, accountId, listed.id);
    if (locked !== null) found.push(locked);
  }
  return found;
}

/** The promoter's campaign with this campaign id. @throws Failure `not_found` */
export async function loadPromoterCampaignOf(
  tx: Transaction,
  accountId: number,
  wanted: PromoterInCampaign,
): Promise<PromoterCampaign> {
  const promoterCampaign = await findPromoterCampaign(tx, accountId, wanted);
  if (promoterCampaign === null) throw notInCampaign();
  return promoterCampaign;
}

/** The same, or null. @throws Failure `not_found` for the campaign */
export async function findPromoterCampaign(
  tx: Transaction,
  accountId: number,
  { promoterId, campaignId }: PromoterInCampaign,
): Promise<PromoterCampaign | null> {
  const campaign = await loadCampaign(tx, accountId, campaignId);
  return tx.find(promoterCampaigns, "promoterInCampaign", accountId, [promoterId, campaign.id]);
}

/** The error for a promoter who is not in the campaign. */
export function notInCampaign(): Failure {
  return new Failure("not_found", "Promoter is not in this campaign.");
}
