import { z } from "zod";
import {
  APPLY_ON,
  OPERATOR_NAMES,
  PROMOTER_REWARD_TYPES,
  REWARD_DURATIONS,
  RULE_TYPES,
  rewards,
  TIER_REWARD_MODES,
  type FullRewardEntry,
  type RewardEntry,
  type RewardSchema,
} from "../../domain/program/reward/reward.ts";
import { id, oneOf, splitList, coupon } from "../../input/fields.ts";
import { field, recordId, createdAt } from "../../http/fields.ts";
import { UNITS } from "../../domain/money.ts";
import { shown } from "../../resource/answer.ts";

const MAX_ENTRIES = 100;
const MAX_PRODUCTS = 100;
const TOO_MANY_PRODUCTS = `is too long (maximum is ${MAX_PRODUCTS} products)`;

/**
 * Reward entries as clients send them.
 *
 * @see docs/spec/v2.md "Reward entry"
 */
export const rewardEntries = z
  .array(
    z
      .object(
        {
          apply_on: field(oneOf(APPLY_ON).nullish(), "Which sales the reward is for."),
          product_ids: field(
            z
              .preprocess(
                splitList,
                z.array(id, "is invalid").max(MAX_PRODUCTS, TOO_MANY_PRODUCTS).nullable(),
              )
              .optional(),
            "Products that the reward is for. Empty means all.",
            [],
          ),
          reward_id: field(id, "Id of the reward.", 3),
        },
        "is invalid",
      )
      .transform(({ apply_on, product_ids, reward_id }): RewardEntry => ({
        apply_on: apply_on ?? (product_ids?.length ? "specific" : "all"),
        product_ids: product_ids ?? [],
        reward_id,
      })),
    "is invalid",
  )
  .max(MAX_ENTRIES, `is too long (maximum is ${MAX_ENTRIES} entries)`);

/** A rule as clients send and receive it. @see docs/spec/money.md "Rules of a reward" */
export const ruleShape = z.looseObject({
  type: field(
    z.enum(RULE_TYPES),
    "What the rule counts: the customer's months or sales, or the promoter's customers or revenue (in the minor unit) in the campaign.",
    "customer_sales_count",
  ),
  operator: field(
    z.union([z.enum(OPERATOR_NAMES), z.string()]).optional(),
    "How the count must compare with the value. Default: `equal to`. Underscores, and `<`, `<=`, `=`, `==`, `>=`, `>` and `%` are accepted, too.",
    "less than or equal to",
  ),
  value: field(z.union([z.number(), z.string()]), "The number to compare with.", 12),
  join: field(
    z.enum(["and", "or"]).optional(),
    "How the rule is connected with those before it. Default: `and`.",
    "and",
  ),
  filter_by: field(
    z.union([z.string(), z.number()]).nullable().optional(),
    "Limits the rule to sales of one price: its `plan`. Default: all.",
    null,
  ),
});
const ruleAnswer = ruleShape.meta({ id: "RewardRule" });

const schemaAnswer = z
  .object({
    unit: field(z.enum(UNITS), "Unit of the amount.", "cash"),
    amount: field(z.number(), "The fixed amount in units of the currency, or the percentage.", 20),
    flat_amount: field(z.boolean(), "`true`: `amount` is fixed. `false`: it is a percentage of the sale."),
    rules: field(z.array(ruleAnswer), "Further conditions, each connected with those before it."),
  })
  .meta({ id: "RewardSchema" });

/** A reward of V2. Amounts are numbers with at most four decimals. */
export const rewardAnswer = shown(rewards)("Reward", {
  id: recordId,
  name: field(z.string(), "Name of the reward.", "20% of each sale"),
  is_promoter_reward: field(z.boolean(), "`true`: promoters earn it. `false`: the people they refer get it."),
  promoter_reward_type: field(
    z.enum(PROMOTER_REWARD_TYPES).nullable(),
    "What the promoter earns it for, or null if it is for referred people.",
    "sale",
  ),
  coupon,
  // Payment processors lock no rewards.
  editable: [field(z.boolean(), "Whether the reward can be changed."), () => true],
  hide_reward: [
    field(z.boolean(), "Whether the reward is hidden from promoters."),
    ({ is_hidden }) => is_hidden,
  ],
  provider_coupon_id: field(
    z.string().nullable(),
    "Id of the coupon at the payment processor, or null if there is none.",
    null,
  ),
  duration: field(
    z.enum(REWARD_DURATIONS).nullable(),
    "For how long a customer's sales earn it, or null if that is not set.",
  ),
  duration_in_months: [
    field(z.int().nullable(), "For how many months, with the duration `repeating`.", 12),
    ({ duration_months }) => duration_months,
  ],
  max_redemptions: field(
    z.int().nullable(),
    "How often your shop or payment processor lets customers use it, or null for no limit. Sales beyond it are still recorded.",
    null,
  ),
  new_customers_only: field(
    z.boolean(),
    "Whether your shop or payment processor gives it to new customers only.",
  ),
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
  provider: [
    field(
      z.string().nullable(),
      "Payment processor that the reward's coupon belongs to, or null if there is none.",
      null,
    ),
    () => null,
  ],
  tier_reward_mode: field(
    z.enum(TIER_REWARD_MODES).nullable(),
    "How the reward of a parent promoter is computed. Null if it is not a tier reward.",
  ),
  tier_level: field(
    z.int().nullable(),
    "1 for the promoter, 2 for their parent, and so on. Null if it is not a tier reward.",
    1,
  ),
  schemas: [
    field(z.array(schemaAnswer), "What the reward gives: one entry for each kind of amount."),
    ({ schemas }) => schemas.map(schemaJson),
  ],
});

/** @see docs/spec/v2.md "Reward entry" */
export const rewardEntryAnswer = z
  .object({
    apply_on: field(z.enum(APPLY_ON), "Which sales the reward is for."),
    product_ids: field(z.array(z.int()), "Products that the reward is for. Empty means all.", []),
    reward_id: field(z.int(), "Id of the reward.", 3),
    reward: field(
      z.object({
        name: field(z.string(), "Name of the reward.", "20% of each sale"),
        promoter_reward_type: field(
          z.string(),
          "Which sales or actions earn it. Empty for a reward of referred people.",
          "sale",
        ),
        coupon: field(z.string(), "Coupon that the reward stands for, or an empty text.", ""),
        hide_reward: field(z.boolean(), rewardAnswer.schema.shape.hide_reward),
        tier_level: field(z.int(), "Level of the promoter who earns it: 1 is the promoter of the lead.", 1),
      }),
      "The reward.",
    ),
    products: field(
      z.array(z.object({ id: recordId, name: field(z.string(), "Name of the product.", "Pro plan") })),
      "The products that `product_ids` names.",
    ),
  })
  .meta({ id: "RewardEntry" });

/** The level of the lead's own promoter. */
const OWN_LEVEL = 1;

/** A reward entry with its reward and its products. */
export function rewardEntryJson({
  entry,
  reward,
  products,
}: FullRewardEntry): z.output<typeof rewardEntryAnswer> {
  return {
    apply_on: entry.apply_on,
    product_ids: entry.product_ids,
    reward_id: entry.reward_id,
    reward: {
      name: reward.name,
      promoter_reward_type: reward.promoter_reward_type ?? "",
      coupon: reward.coupon ?? "",
      hide_reward: reward.is_hidden,
      tier_level: reward.tier_level ?? OWN_LEVEL,
    },
    products: products.map(({ id, name }) => ({ id, name })),
  };
}

function schemaJson(schema: RewardSchema): z.output<typeof schemaAnswer> {
  const { unit, amount_ten_thousandths, is_flat, rules } = schema;
  return {
    unit,
    amount: amount_ten_thousandths / 10_000,
    flat_amount: is_flat,
    rules: rules as z.output<typeof ruleAnswer>[], // validated on input
  };
}
