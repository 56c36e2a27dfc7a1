import { z } from "zod";
import { flag, id, oneOf, tenThousandths, text } from "../../input/fields.ts";
import {
  PROMOTER_REWARD_TYPES,
  readRule,
  REWARD_DURATIONS,
  RULE_TYPES,
  TIER_REWARD_MODES,
  type NewReward,
  type RewardSchema,
} from "../../domain/program/reward/reward.ts";
import { UNITS } from "../../domain/money.ts";
import { rewardAnswer, ruleShape } from "./reward-json.ts";
import { field } from "../../http/fields.ts";

const MAX_SCHEMAS = 20;
const MAX_RULES_BYTES = 16 * 1024;

const count = id.pipe(z.number().max(1_000_000, "is too large"));

const UNREADABLE = `needs a type (${RULE_TYPES.join(", ")}), an operator and a number as value`;

const { $schema: _, ...RULE_SHAPE } = z.toJSONSchema(ruleShape);

const rules = z
  .array(
    z
      .record(z.string(), z.unknown())
      .refine((rule) => readRule(rule) !== null, UNREADABLE)
      .meta({ documentedAs: RULE_SHAPE }),
    "is invalid",
  )
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_RULES_BYTES, "is too large");

const schemas = field(
  z
    .array(
      z
        .object(
          {
            unit: field(oneOf(UNITS), "Unit of the amount.", "cash"),
            amount: field(
              tenThousandths,
              "The fixed amount in units of the currency, or the percentage.",
              20,
            ),
            flat_amount: field(flag, "`true`: `amount` is fixed. `false`: it is a percentage of the sale."),
            rules: field(rules.nullish(), "Further conditions, each connected with those before it."),
          },
          "is invalid",
        )
        .transform((given): RewardSchema => ({
          unit: given.unit,
          amountTenThousandths: given.amount,
          isFlat: given.flat_amount,
          rules: given.rules ?? [],
        })),
      "is invalid",
    )
    .min(1, "can't be blank")
    .max(MAX_SCHEMAS, `is too long (maximum is ${MAX_SCHEMAS} entries)`),
  rewardAnswer.shape.schemas,
);

/** The fields that an update may clear. */
const clearable = z.object({
  promoter_reward_type: field(
    oneOf(PROMOTER_REWARD_TYPES).nullable(),
    rewardAnswer.shape.promoter_reward_type,
  ),
  tier_reward_mode: field(oneOf(TIER_REWARD_MODES).nullable(), rewardAnswer.shape.tier_reward_mode),
  tier_level: field(count.nullable(), rewardAnswer.shape.tier_level),
  coupon: field(text.trim().nullable(), rewardAnswer.shape.coupon),
  provider_coupon_id: field(text.trim().nullable(), rewardAnswer.shape.provider_coupon_id),
  duration: field(oneOf(REWARD_DURATIONS).nullable(), rewardAnswer.shape.duration),
  duration_in_months: field(count.nullable(), rewardAnswer.shape.duration_in_months),
  max_redemptions: field(count.nullable(), rewardAnswer.shape.max_redemptions),
});
const switches = z.object({
  hide_reward: field(flag, rewardAnswer.shape.hide_reward),
  new_customers_only: field(flag, rewardAnswer.shape.new_customers_only),
});
const needed = z.object({
  name: field(text.trim(), rewardAnswer.shape.name),
  is_promoter_reward: field(flag, rewardAnswer.shape.is_promoter_reward),
  schemas,
});

const optional = clearable.extend(switches.shape).partial();
/** The fields of a new reward. */
export const createBody = optional.extend(needed.shape);
/** The fields of a reward that can be changed. */
export const updateBody = optional.extend(needed.partial().shape);

/** V2's names of the fields that may contradict each other. */
export const REWARD_FIELDS = {
  isPromoterReward: "is_promoter_reward",
  promoterRewardType: "promoter_reward_type",
  tierLevel: "tier_level",
  tierRewardMode: "tier_reward_mode",
  durationMonths: "duration_in_months",
};

/** A new reward by the domain's names. A promoter's reward is for sales by default. */
export function newRewardOf(body: z.output<typeof createBody>): NewReward {
  const usualType = body.is_promoter_reward ? "sale" : null;
  return {
    name: body.name,
    isPromoterReward: body.is_promoter_reward,
    promoterRewardType: body.promoter_reward_type ?? usualType,
    tierRewardMode: body.tier_reward_mode ?? null,
    tierLevel: body.tier_level ?? null,
    coupon: body.coupon ?? null,
    isHidden: body.hide_reward ?? false,
    providerCouponId: body.provider_coupon_id ?? null,
    duration: body.duration ?? null,
    durationMonths: body.duration_in_months ?? null,
    maxRedemptions: body.max_redemptions ?? null,
    newCustomersOnly: body.new_customers_only ?? false,
    schemas: body.schemas,
  };
}
