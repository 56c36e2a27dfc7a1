import { loadBalance } from "../domain/balance.ts";
import { loadCampaign } from "../domain/campaign.ts";
import { listParticipations } from "../domain/participation.ts";
import { promoCodes } from "../domain/promo-code.ts";
import { promoters } from "../domain/promoter.ts";
import { loadPromoterCampaign } from "../domain/promoter-campaign.ts";
import { rewards } from "../domain/reward.ts";
import { loadStats } from "../domain/stats.ts";
import type { Promoter, PromoterCampaign, Reward, RewardEntry } from "../records.ts";
import type { Store } from "../storage/store.ts";
import type { PromoterParts, RewardedPromoCode, WholePromoter } from "./promoter-json.ts";
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

/** Reads all that V1 shows of a promoter: every participation, every promo code in use. */
export async function readWholePromoter(store: Store, promoter: Promoter): Promise<WholePromoter> {
  const { accountId, id } = promoter;
  const whole: WholePromoter = {
    parts: await readPromoterParts(store, promoter),
    promotions: [],
    promoCodes: [],
  };
  for (const promoterCampaign of await listParticipations(store, accountId, id)) {
    whole.promotions.push(await readPromotionParts(store, promoterCampaign));
    whole.promoCodes.push(...(await readPromoCodes(store, promoterCampaign)));
  }
  return whole;
}

/** Reads what V1 shows of a participation beside its own record. */
export async function readPromotionParts(
  store: Store,
  promoterCampaign: PromoterCampaign,
): Promise<PromotionParts> {
  const { accountId, campaignId } = promoterCampaign;
  const campaign = await loadCampaign(store, accountId, campaignId);
  const forPromoters = promoterCampaign.rewardsForPromoters ?? campaign.rewardsForPromoters;
  const forReferrals = promoterCampaign.rewardsForReferrals ?? campaign.rewardsForReferrals;
  return {
    promoterCampaign,
    campaign,
    stats: await loadStats(store, promoterCampaign),
    rewardsForPromoters: await readRewards(store, accountId, forPromoters),
    rewardsForReferrals: await readRewards(store, accountId, forReferrals),
  };
}

async function readRewards(store: Store, accountId: number, entries: RewardEntry[]): Promise<Reward[]> {
  const found = await Promise.all(entries.map(({ rewardId }) => store.get(rewards, accountId, rewardId)));
  return found.filter((reward) => reward !== null);
}

/** Choice: V1 can't say that a code is archived, so it shows those in use. */
async function readPromoCodes(
  store: Store,
  { accountId, id }: PromoterCampaign,
): Promise<RewardedPromoCode[]> {
  const found: RewardedPromoCode[] = [];
  for await (const chunk of store.scan(promoCodes, "inUse", accountId, [id])) {
    for (const promoCode of chunk) {
      const reward = await store.get(rewards, accountId, promoCode.rewardId);
      if (reward !== null) found.push({ promoCode, reward });
    }
  }
  return found;
}

/** A parent that was removed in the same moment counts as none. */
async function defaultRefToken(store: Store, accountId: number, promoterId: number): Promise<string | null> {
  const promoter = await store.get(promoters, accountId, promoterId);
  if (promoter === null) return null;
  return (await loadPromoterCampaign(store, accountId, promoter.defaultPromoterCampaignId)).refToken;
}
