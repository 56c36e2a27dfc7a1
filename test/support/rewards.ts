import { newPromoterCampaign } from "../../server/domain/people/promoter-campaign/promoter-campaign.ts";
import type { Tier } from "../../server/domain/ledger/commission/earnings.ts";
import type { Reward, RewardEntry, RewardSchema } from "../../server/domain/program/reward/reward.ts";

/** A schema of so many percent of cash. */
export function percent(percentage: number, rules: unknown[] = []): RewardSchema {
  return {
    unit: "cash",
    amount_ten_thousandths: Math.round(percentage * 10_000),
    is_flat: false,
    rules,
  };
}

/** A flat schema, in whole units. */
export function flat(
  amount: number,
  unit: RewardSchema["unit"] = "cash",
  rules: unknown[] = [],
): RewardSchema {
  return { unit, amount_ten_thousandths: Math.round(amount * 10_000), is_flat: true, rules };
}

/** A reward for promoters; for each sale unless it says otherwise. */
export function reward(id: number, schemas: RewardSchema[], changes: Partial<Reward> = {}): Reward {
  return {
    account_id: 1,
    id,
    name: `reward ${id}`,
    is_promoter_reward: true,
    promoter_reward_type: "sale",
    tier_reward_mode: null,
    tier_level: null,
    coupon: null,
    is_hidden: false,
    provider_coupon_id: null,
    duration: null,
    duration_months: null,
    max_redemptions: null,
    new_customers_only: false,
    schemas,
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    ...changes,
  };
}

/** A reward for the ancestor on a level. */
export function tierReward(
  [id, level]: [number, number],
  schemas: RewardSchema[],
  mode: Reward["tier_reward_mode"],
): Reward {
  return reward(id, schemas, { promoter_reward_type: "tier", tier_level: level, tier_reward_mode: mode });
}

/** An entry for all sales, or those given. */
export function entry(of: Reward, changes: Partial<RewardEntry> = {}): Tier["entries"][number] {
  return { entry: { apply_on: "all", product_ids: [], reward_id: of.id, ...changes }, reward: of };
}

/** A tier with these entries. The promoter and the promoter campaign of level n have the id n. */
export function tier(level: number, entries: Tier["entries"], changes: Partial<Tier> = {}): Tier {
  const promoterCampaign = newPromoterCampaign({
    account_id: 1,
    id: level,
    campaign_id: 1,
    promoter_id: level,
    state: "accepted",
    ref_token: `ref${level}`,
    created_at: "2026-01-01T00:00:00.000Z",
  });
  return { level, promoterCampaign, entries, customersCount: 1, revenueCents: 10_000, ...changes };
}
