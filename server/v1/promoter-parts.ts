import { loadBalance } from "../domain/balance.ts";
import { loadCampaign } from "../domain/campaign.ts";
import { loadPromoter } from "../domain/promoter.ts";
import { loadPromoterCampaign } from "../domain/promoter-campaign.ts";
import { loadStats } from "../domain/stats.ts";
import type { Promoter, PromoterCampaign } from "../records.ts";
import type { Store } from "../storage/store.ts";
import type { PromoterParts } from "./promoter-json.ts";
import type { PromotionParts } from "./promotion-json.ts";

/** Reads what the V1 forms show of a promoter beside their own record. */
export async function readPromoterParts(store: Store, promoter: Promoter): Promise<PromoterParts> {
  const { accountId, id, defaultPromoterCampaignId, parentPromoterId } = promoter;
  return {
    promoter,
    promoterCampaign: await loadPromoterCampaign(store, accountId, defaultPromoterCampaignId),
    parentRefToken:
      parentPromoterId === null ? null : await defaultRefToken(store, accountId, parentPromoterId),
    balance: await loadBalance(store, accountId, id),
  };
}

/** Reads what V1 shows of a participation beside its own record. */
export async function readPromotionParts(
  store: Store,
  promoterCampaign: PromoterCampaign,
): Promise<PromotionParts> {
  const { accountId, id, campaignId } = promoterCampaign;
  return {
    promoterCampaign,
    campaign: await loadCampaign(store, accountId, campaignId),
    stats: await loadStats(store, accountId, id),
  };
}

async function defaultRefToken(store: Store, accountId: number, promoterId: number): Promise<string> {
  const promoter = await loadPromoter(store, accountId, promoterId);
  return (await loadPromoterCampaign(store, accountId, promoter.defaultPromoterCampaignId)).refToken;
}
