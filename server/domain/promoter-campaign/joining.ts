import { Failure } from "../../failure.ts";
import type { Promoter } from "../promoter/record.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { requireInUse } from "../promoter/promoter.ts";
import { newPromoterCampaign, promoterCampaigns } from "./promoter-campaign.ts";
import { loadSelected, type Selection } from "../promoter/selection.ts";
import { deriveRefToken, refTokens } from "./ref-token.ts";
import type { Show } from "../show.ts";

/**
 * Adds a promoter to one more campaign, with a ref token of its own.
 *
 * Choice: the state is `pending` if the campaign does not approve automatically, as for new promoters.
 *
 * @throws Failure `not_found`, or `refused` for a promoter who is in the campaign already or is archived
 */
export async function addToCampaign<T>(
  context: Context,
  accountId: number,
  { selection, campaignId, show }: { selection: Selection; campaignId: number; show: Show<Promoter, T> },
): Promise<T> {
  const { store, chance, now } = context;
  const id = await store.nextId("promoter-campaign");
  return store.transact(async (tx) => {
    const { promoter } = await loadSelected(tx, accountId, selection);
    requireInUse(promoter);
    const campaign = await loadCampaign(tx, accountId, campaignId);
    const { firstName } = promoter.profile;
    const refToken = await deriveRefToken(tx, chance, { accountId, firstName, email: promoter.email });
    const promoterCampaign = newPromoterCampaign({
      accountId,
      id,
      campaignId: campaign.id,
      promoterId: promoter.id,
      state: campaign.autoApprovePromoters ? "accepted" : "pending",
      refToken,
      createdAt: now.toISOString(),
    });
    await tx.put(promoterCampaigns, promoterCampaign, { promoterInCampaign: alreadyInCampaign });
    await tx.put(refTokens, { accountId, token: refToken, promoterCampaignId: id });
    await announce(tx, context, { entity: "promoter_campaign", before: null, after: promoterCampaign });
    return show(tx.view, promoter);
  });
}

/** The error for adding a promoter to the same campaign twice. */
export function alreadyInCampaign(): Failure {
  return new Failure("refused", "Promoter is already in this campaign.");
}
