import type { ArchivedState } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Context } from "./context.ts";
import { lockParticipations } from "./participation.ts";
import { loadPromoter, promoters } from "./promoter.ts";
import { promoterCampaigns } from "./promoter-campaign.ts";

export const archivedStates = collection<ArchivedState>()({
  name: "archived-state",
  id: ({ promoterCampaignId }) => [promoterCampaignId],
  claims: {},
  indexes: {},
});

/** Archives a promoter: they are blocked in every campaign until they are restored. @throws Failure `not_found` */
export async function archivePromoter({ store, now }: Context, accountId: number, id: number): Promise<void> {
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, id);
    if (promoter.archivedAt !== null) return;
    await tx.put(promoters, { ...promoter, archivedAt: now.toISOString() });
    for (const promoterCampaign of await lockParticipations(tx, store, promoter)) {
      const { id: promoterCampaignId, state } = promoterCampaign;
      await tx.put(archivedStates, { accountId, promoterCampaignId, state });
      await tx.put(promoterCampaigns, { ...promoterCampaign, state: "blocked" });
    }
  });
}

/**
 * Takes a promoter out of the archive.
 *
 * Choice: participations get back the state that they had, as restoring undoes archiving; one whose
 * state was changed meanwhile keeps it.
 *
 * @throws Failure `not_found`
 */
export async function restorePromoter({ store }: Context, accountId: number, id: number): Promise<void> {
  await store.transact(async (tx) => {
    const promoter = await loadPromoter(tx, accountId, id);
    if (promoter.archivedAt === null) return;
    await tx.put(promoters, { ...promoter, archivedAt: null });
    for (const promoterCampaign of await lockParticipations(tx, store, promoter)) {
      const archived = await tx.get(archivedStates, accountId, promoterCampaign.id);
      await tx.remove(archivedStates, accountId, promoterCampaign.id);
      if (archived === null || promoterCampaign.state !== "blocked") continue;
      await tx.put(promoterCampaigns, { ...promoterCampaign, state: archived.state });
    }
  });
}
