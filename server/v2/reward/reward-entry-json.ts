import { z } from "zod";
import type { FullRewardEntry } from "../../domain/program/reward/changes.ts";
import { id, oneOf, splitList } from "../../input/fields.ts";
import { APPLY_ON, type RewardEntry } from "../../domain/program/reward/reward.ts";
import { field, recordId } from "../../http/fields.ts";
import { rewardAnswer } from "./reward-json.ts";

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
        applyOn: apply_on ?? (product_ids?.length ? "specific" : "all"),
        productIds: product_ids ?? [],
        rewardId: reward_id,
      })),
    "is invalid",
  )
  .max(MAX_ENTRIES, `is too long (maximum is ${MAX_ENTRIES} entries)`);

/** @see docs/spec/v2.md "Reward entry" */
export const rewardEntryAnswer = z
  .object({
    apply_on: field(z.enum(APPLY_ON), "Which sales the reward is for."),
    product_ids: field(z.array(z.int()), "Products that the reward is for. Empty means all.", []),
    reward_id: field(z.int(), "Id of the reward.", 3),
    reward: field(
      z.object({
        name: field(z.string(), "Name of the reward.", "20% of each sale"),
        promoter_reward_type: field(z.string().nullable(), rewardAnswer.shape.promoter_reward_type),
        coupon: field(z.string().nullable(), rewardAnswer.shape.coupon),
        hide_reward: field(z.boolean(), rewardAnswer.shape.hide_reward),
        tier_level: field(z.int().nullable(), rewardAnswer.shape.tier_level),
      }),
      "The reward.",
    ),
    products: field(
      z.array(z.object({ id: recordId, name: field(z.string(), "Name of the product.", "Pro plan") })),
      "The products that `product_ids` names.",
    ),
  })
  .meta({ id: "RewardEntry" });

/** A reward entry with its reward and its products. */
export function rewardEntryJson({
  entry,
  reward,
  products,
}: FullRewardEntry): z.output<typeof rewardEntryAnswer> {
  return {
    apply_on: entry.applyOn,
    product_ids: entry.productIds,
    reward_id: entry.rewardId,
    reward: {
      name: reward.name,
      promoter_reward_type: reward.promoterRewardType,
      coupon: reward.coupon,
      hide_reward: reward.isHidden,
      tier_level: reward.tierLevel,
    },
    products: products.map(({ id, name }) => ({ id, name })),
  };
}
