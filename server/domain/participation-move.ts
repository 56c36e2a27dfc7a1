import type { PromoterCampaign } from "../records.ts";
import { loadCampaign } from "./campaign.ts";
import type { Context } from "./context.ts";
import { announce } from "./event.ts";
import { leads } from "./lead.ts";
import { isMember, loadMembership, loadPromoterInUse } from "./participation.ts";
import { loadPromoterCampaign, promoterCampaigns } from "./promoter-campaign.ts";

/** Which participation goes where. */
export interface CampaignMove {
  promoterId: number;
  /** null: the campaign of the default participation. */
  fromCampaignId: number | null;
  toCampaignId: number;
  /** Whether the leads belong to the new campaign, too. */
  movesLeads: boolean;
}

/**
 * Moves a promoter from one campaign to another.
 *
 * Choice: the participation itself moves, so that its links, codes, visitors and leads go on
 * working. Its leads stay with the campaign that they came by, and so keep what they earn, unless
 * they are told to move as well. The state stays: who moves a promoter does not judge them anew.
 *
 * @throws Failure `not_found`, or `refused` for a member and for an archived promoter
 */
export async function moveToCampaign(
  context: Context,
  accountId: number,
  move: CampaignMove,
): Promise<PromoterCampaign> {
  const moved = await context.store.transact(async (tx) => {
    const { promoterId, fromCampaignId } = move;
    const promoter = await loadPromoterInUse(tx, accountId, promoterId);
    const destination = await loadCampaign(tx, accountId, move.toCampaignId);
    const source =
      fromCampaignId === null
        ? await loadPromoterCampaign(tx, accountId, promoter.defaultPromoterCampaignId)
        : await loadMembership(tx, accountId, { promoterId, campaignId: fromCampaignId });
    if (source.campaignId === destination.id) throw isMember();
    const after = { ...source, campaignId: destination.id };
    await tx.put(promoterCampaigns, after, { membership: isMember });
    await announce(tx, context, { entity: "promoter_campaign", before: source, after });
    return after;
  });
  if (move.movesLeads) await moveLeads(context, moved);
  return moved;
}

/** One commit for each lead: there may be more of them than one commit should hold. */
async function moveLeads(context: Context, { accountId, id, campaignId }: PromoterCampaign): Promise<void> {
  const { store } = context;
  for await (const chunk of store.scan(leads, "promoterCampaign", accountId, [id])) {
    for (const found of chunk.filter((lead) => lead.campaignId !== campaignId)) {
      await store.transact(async (tx) => {
        const lead = await tx.get(leads, accountId, found.id);
        if (lead?.promoterCampaignId !== id) return;
        const after = { ...lead, campaignId };
        await tx.put(leads, after);
        await announce(tx, context, { entity: "referral", before: lead, after });
      });
    }
  }
}
