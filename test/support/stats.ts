import { loadPromoterCampaign } from "../../server/domain/promoter-campaign/promoter-campaign.ts";
import { loadStats, type Stats } from "../../server/domain/report/counters.ts";
import type { Store } from "../../server/storage/store.ts";

/** The totals of the promoter campaign with this id. */
export async function statsOf(store: Store, accountId: number, promoterCampaignId: number): Promise<Stats> {
  return loadStats(store, await loadPromoterCampaign(store, accountId, promoterCampaignId));
}
