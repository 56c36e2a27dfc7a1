import { z } from "zod";
import {
  OPERATOR_NAMES,
  PROMOTER_REWARD_TYPES,
  REWARD_DURATIONS,
  RULE_TYPES,
  TIER_REWARD_MODES,
  type Reward,
  type RewardSchema,
} from "../../domain/reward/reward.ts";
import { UNITS } from "../../domain/money/money.ts";

/** A rule as clients write it, and as they get it back. @see docs/spec/money.md "Rules of a reward" */
export const ruleShape = z.looseObject({
  type: z.enum(RULE_TYPES),
  operator: z.union([z.enum(OPERATOR_NAMES), z.string()]).optional(),
  value: z.union([z.number(), z.string()]),
  join: z.enum(["and", "or"]).optional(),
  filter_by: z.union([z.string(), z.number()]).nullable().optional(),
});
const ruleAnswer = ruleShape.meta({ id: "RewardRule" });

const schemaAnswer = z
  .object({
    unit: z.enum(UNITS),
    amount: z.number(),
    flat_amount: z.boolean(),
    rules: z.array(ruleAnswer),
  })
  .meta({ id: "RewardSchema" });

/** A reward of V2. */
export const rewardAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    is_promoter_reward: z.boolean(),
    promoter_reward_type: z.enum(PROMOTER_REWARD_TYPES).nullable(),
    coupon: z.string().nullable(),
    editable: z.boolean(),
    hide_reward: z.boolean(),
    provider_coupon_id: z.string().nullable(),
    duration: z.enum(REWARD_DURATIONS).nullable(),
    duration_in_months: z.int().nullable(),
    max_redemptions: z.int().nullable(),
    new_customers_only: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    provider: z.string().nullable(),
    tier_reward_mode: z.enum(TIER_REWARD_MODES).nullable(),
    tier_level: z.int().nullable(),
    schemas: z.array(schemaAnswer),
  })
  .meta({ id: "Reward" });

/** A reward as V2 shows it. Amounts are numbers with at most four decimals. */
export function rewardJson(reward: Reward): z.output<typeof rewardAnswer> {
  return {
    id: reward.id,
    name: reward.name,
    is_promoter_reward: reward.isPromoterReward,
    promoter_reward_type: reward.promoterRewardType,
    coupon: reward.coupon,
    editable: true, // no reward is locked by a payment processor
    hide_reward: reward.isHidden,
    provider_coupon_id: reward.providerCouponId,
    duration: reward.duration,
    duration_in_months: reward.durationMonths,
    max_redemptions: reward.maxRedemptions,
    new_customers_only: reward.newCustomersOnly,
    created_at: reward.createdAt,
    updated_at: reward.updatedAt,
    provider: null,
    tier_reward_mode: reward.tierRewardMode,
    tier_level: reward.tierLevel,
    schemas: reward.schemas.map(schemaJson),
  };
}

function schemaJson(schema: RewardSchema): z.output<typeof schemaAnswer> {
  const { unit, amountTenThousandths, isFlat, rules } = schema;
  return {
    unit,
    amount: amountTenThousandths / 10_000,
    flat_amount: isFlat,
    rules: rules as z.output<typeof ruleAnswer>[], // checked when they came in
  };
}
