import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Reader } from "../../storage/store.ts";
import { loadCampaign } from "../campaign/campaign.ts";
import { rankOf } from "../commission/reward-choice.ts";
import type { Sale } from "./record.ts";

/** The id of the reward that a referred person gets with a sale. null: none. */
export async function referralRewardOf(
  reader: Reader,
  { accountId, campaignId, rewardsForReferrals }: PromoterCampaign,
  sold: Pick<Sale, "productId" | "billingPeriod">,
): Promise<number | null> {
  const entries =
    rewardsForReferrals ?? (await loadCampaign(reader, accountId, campaignId)).rewardsForReferrals;
  const ranked = entries
    .map((entry) => ({ entry, rank: rankOf(entry, sold) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank);
  return ranked[0]?.entry.rewardId ?? null;
}
