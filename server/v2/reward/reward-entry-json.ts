import { z } from "zod";
import type { FullRewardEntry } from "../../domain/reward/changes.ts";
import { id, oneOf, splitList } from "../../input/fields.ts";
import { APPLY_ON, type RewardEntry } from "../../domain/reward/reward.ts";

const MAX_ENTRIES = 100;
const MAX_PRODUCTS = 100;
const TOO_MANY_PRODUCTS = `is too long (maximum is ${MAX_PRODUCTS} products)`;

/**
 * Reward entries as clients send them.
 *
 * Choice: an entry without `apply_on` is for the products that it names or, if it names none, for all sales.
 */
export const rewardEntries = z
  .array(
    z
      .object(
        {
          apply_on: oneOf(APPLY_ON).nullish(),
          product_ids: z
            .preprocess(splitList, z.array(id, "is invalid").max(MAX_PRODUCTS, TOO_MANY_PRODUCTS).nullable())
            .optional(),
          reward_id: id,
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
    apply_on: z.enum(APPLY_ON),
    product_ids: z.array(z.int()),
    reward_id: z.int(),
    reward: z.object({
      name: z.string(),
      promoter_reward_type: z.string().nullable(),
      coupon: z.string().nullable(),
      hide_reward: z.boolean(),
      tier_level: z.int().nullable(),
    }),
    products: z.array(z.object({ id: z.int(), name: z.string() })),
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
