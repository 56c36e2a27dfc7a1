import type { ArchivedState, PromoterCampaign, PromoterCampaignState } from "../promoter-campaign/record.ts";
import { table } from "../../storage/table.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { refuseErased } from "../erasure/erased.ts";
import { announce } from "../event/event.ts";
import { lockPromoterCampaigns } from "../promoter-campaign/of-promoter.ts";
import { loadPromoter, promoters } from "./promoter.ts";
import { promoterCampaigns } from "../promoter-campaign/promoter-campaign.ts";

export const archivedStates = table<ArchivedState>()({
  name: "archived-state",
  key: ["promoter_campaign_id"],
  columns: { promoter_campaign_id: "integer", state: "text" },
});

/** Archives a promoter and blocks them in every campaign until they are restored. @throws Failure `not_found` */
export async function archivePromoter(context: Context, accountId: number, id: number): Promise<void> {
  const { store, now } = context;
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, id);
    if (promoter.archivedAt !== null) return;
    const after = { ...promoter, archivedAt: now.toISOString() };
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before: promoter, after });
    for (const promoterCampaign of await lockPromoterCampaigns(tx, promoter)) {
      const { id: promoterCampaignId, state } = promoterCampaign;
      await tx.put(archivedStates, { accountId, promoterCampaignId, state });
      await putState(tx, context, { before: promoterCampaign, state: "blocked" });
    }
  });
}

/**
 * Restores an archived promoter.
 *
 * Choice: promoter campaigns get back the state from before, because restoring undoes archiving. If the state was
 * changed meanwhile, it stays.
 *
 * @throws Failure `not_found`, or `refused` for an erased promoter
 */
export async function restorePromoter(context: Context, accountId: number, id: number): Promise<void> {
  const { store } = context;
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, id);
    if (promoter.archivedAt === null) return;
    refuseErased(promoter);
    const after = { ...promoter, archivedAt: null };
    await tx.put(promoters, after);
    await announce(tx, context, { entity: "promoter", before: promoter, after });
    for (const promoterCampaign of await lockPromoterCampaigns(tx, promoter)) {
      const archived = await tx.get(archivedStates, accountId, promoterCampaign.id);
      await tx.remove(archivedStates, accountId, promoterCampaign.id);
      if (archived === null || promoterCampaign.state !== "blocked") continue;
      await putState(tx, context, { before: promoterCampaign, state: archived.state });
    }
  });
}

async function putState(
  tx: Transaction,
  context: Context,
  { before, state }: { before: PromoterCampaign; state: PromoterCampaignState },
): Promise<void> {
  const after = { ...before, state };
  await tx.put(promoterCampaigns, after);
  await announce(tx, context, { entity: "promoter_campaign", before, after });
}
