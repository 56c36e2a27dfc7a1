import type { PromoterCampaignState } from "./record.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";
import { loadPromoterCampaignOf, type PromoterInCampaign } from "./of-promoter.ts";
import { loadPromoterInUse } from "../promoter/promoter.ts";

/** Sets the state of a promoter campaign. The same state changes nothing. @throws Failure `not_found` or `refused` */
export async function setPromoterCampaignState(
  context: Context,
  accountId: number,
  { state, ...wanted }: PromoterInCampaign & { state: PromoterCampaignState },
): Promise<void> {
  await context.store.transact(async (tx) => {
    await loadPromoterInUse(tx, accountId, wanted.promoterId);
    const before = await loadPromoterCampaignOf(tx, accountId, wanted);
    const after = { ...before, state };
    await tx.put(promoterCampaigns, after);
    await announce(tx, context, { entity: "promoter_campaign", before, after });
  });
}
