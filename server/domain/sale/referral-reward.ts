import type { PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { Reader } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { isRunning, rankOf, type CustomerHistory } from "../commission/earnings.ts";
import { findCodeInUse } from "../promo-code/promo-code.ts";
import { loadReward, type Reward } from "../reward/reward.ts";
import type { Sale } from "./record.ts";

/** A sale, with what decides which reward the referred person gets. */
interface RewardedSale {
  sale: Pick<Sale, "productId" | "billingPeriod">;
  history: CustomerHistory;
  /** The promo code that was used. null: none. */
  code: string | null;
}

/**
 * The reward that a referred person gets with a sale: that of the promo code they used, otherwise the one that is offered
 * for such a sale. null: none.
 *
 * Choice: a reward's limits, `max_redemptions` and `new_customers_only`, are not judged here. The shop or the payment
 * processor grants the discount before the sale is told, and knows the customers whom nobody referred. It would be
 * unfair to take a sale from a promoter whose code was accepted.
 */
export async function referralRewardOf(
  reader: Reader,
  { accountId, campaignId, rewardsForReferrals }: PromoterCampaign,
  { sale, history, code }: RewardedSale,
): Promise<Reward | null> {
  const ofCode = code === null ? null : await rewardOfCode(reader, accountId, code);
  if (ofCode !== null) return ofCode;
  const entries =
    rewardsForReferrals ?? (await loadCampaign(reader, accountId, campaignId)).rewardsForReferrals;
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, sale) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank);
  for (const { entry } of ranked) {
    const reward = await loadReward(reader, accountId, entry.rewardId);
    if (isRunning(reward, history)) return reward;
  }
  return null;
}

/** Nothing prevents a promo code from having a reward for promoters, which is not what the person gets. */
async function rewardOfCode(reader: Reader, accountId: number, code: string): Promise<Reward | null> {
  const promoCode = await findCodeInUse(reader, accountId, code);
  const reward = promoCode && (await loadReward(reader, accountId, promoCode.rewardId));
  return reward === null || reward.isPromoterReward ? null : reward;
}
