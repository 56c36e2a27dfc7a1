import { newPromoterCampaign } from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import type { Tier } from "../../server/domain/ledger/commission/earnings.ts";
import type { Reward, RewardEntry, RewardSchema } from "../../server/domain/program/reward/reward.ts";

/** A schema of so many percent of cash. */
export function percent(percentage: number, rules: unknown[] = []): RewardSchema {
  return {
    unit: "cash",
    amountTenThousandths: Math.round(percentage * 10_000),
    isFlat: false,
    rules,
  };
}

/** A flat schema, in whole units. */
export function flat(
  amount: number,
  unit: RewardSchema["unit"] = "cash",
  rules: unknown[] = [],
): RewardSchema {
  return { unit, amountTenThousandths: Math.round(amount * 10_000), isFlat: true, rules };
}

/** A reward for promoters; for each sale unless it says otherwise. */
export function reward(id: number, schemas: RewardSchema[], changes: Partial<Reward> = {}): Reward {
  return {
    accountId: 1,
    id,
    name: `reward ${id}`,
    isPromoterReward: true,
    promoterRewardType: "sale",
    tierRewardMode: null,
    tierLevel: null,
    coupon: null,
    isHidden: false,
    providerCouponId: null,
    duration: null,
    durationMonths: null,
    maxRedemptions: null,
    newCustomersOnly: false,
    schemas,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    ...changes,
  };
}

/** A reward for the ancestor on a level. */
export function tierReward(
  [id, level]: [number, number],
  schemas: RewardSchema[],
  mode: Reward["tierRewardMode"],
): Reward {
  return reward(id, schemas, { promoterRewardType: "tier", tierLevel: level, tierRewardMode: mode });
}

/** An entry for all sales, or those given. */
export function entry(of: Reward, changes: Partial<RewardEntry> = {}): Tier["entries"][number] {
  return { entry: { applyOn: "all", productIds: [], rewardId: of.id, ...changes }, reward: of };
}

/** A tier with these entries. The promoter and the promoter campaign of level n have the id n. */
export function tier(level: number, entries: Tier["entries"], changes: Partial<Tier> = {}): Tier {
  const promoterCampaign = newPromoterCampaign({
    accountId: 1,
    id: level,
    campaignId: 1,
    promoterId: level,
    state: "accepted",
    refToken: `ref${level}`,
    createdAt: "2026-01-01T00:00:00.000Z",
  });
  return { level, promoterCampaign, entries, customersCount: 1, revenueCents: 10_000, ...changes };
}
