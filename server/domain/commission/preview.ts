import { newPromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import type { Reward, RewardEntry } from "../reward/reward.ts";
import { earningsOf, type Earning, type EarningSale, type Tier } from "./earnings.ts";
import { MAX_LEVELS } from "../sale/tiers.ts";

/** A sale that nobody has made, by a customer with this past. */
export interface ImaginedSale extends EarningSale {
  /** The customer's sales so far, with this one. */
  salesCount: number;
  ageInMonths: number;
  /** The promoter's customers and revenue so far, with this one. */
  customersCount: number;
  revenueCents: number;
}

/**
 * Computes what rewards would give for a sale, by the same function as for a real one. On each level above the
 * promoter stands a parent who is paid by the same rewards.
 *
 * @throws Failure `rule_broken` if an amount is too large
 */
export function previewEarnings(
  accountId: number,
  { entries, sale }: { entries: { entry: RewardEntry; reward: Reward }[]; sale: ImaginedSale },
): Earning[] {
  const { salesCount, ageInMonths, customersCount, revenueCents, ...sold } = sale;
  const tiers = Array.from({ length: MAX_LEVELS }, (_, below): Tier => ({
    level: below + 1,
    promoterCampaign: newPromoterCampaign({
      accountId,
      id: below + 1,
      campaignId: 0,
      promoterId: below + 1,
      state: "accepted",
      refToken: "",
      createdAt: "",
    }),
    entries,
    customersCount,
    revenueCents,
  }));
  // Choice: a reward that is given once was given with the customer's first sale.
  const onceRewardIds = salesCount > 1 ? entries.map(({ reward }) => reward.id) : [];
  return earningsOf({ sale: sold, tiers, history: { ageInMonths, salesCount, onceRewardIds }, splits: [] });
}
