import { z } from "zod";
import type { Reward } from "../../domain/reward/record.ts";
import { field, recordId } from "../../http/fields.ts";

/** @see docs/spec/v1.md "Promotion" */
export const offerAnswer = z
  .object({
    id: recordId,
    name: field(z.string(), "Name of the reward.", "Ten percent off"),
    amount: field(z.number().nullable(), "The amount: cents for `cash`, or a percentage.", 10),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    default_promo_code: field(z.string().nullable(), "Coupon that the reward stands for.", null),
  })
  .meta({ id: "V1Offer" });

/** @see docs/spec/v1.md "Promotion" */
export const earningAnswer = z
  .object({
    id: recordId,
    amount: field(z.number().nullable(), "The fixed amount: cents for `cash`. null: a percentage.", null),
    type: field(z.enum(["per_referral", "per_promotion"]), "What kind of event was recorded."),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    name: field(z.string(), "Name of the reward.", "20% of each sale"),
    per_of_sale: field(z.number().nullable(), "Percentage of each sale. null: a fixed amount.", 20),
    default_promo_code: field(z.string().nullable(), offerAnswer.shape.default_promo_code),
  })
  .meta({ id: "V1PromoterReward" });

/** The reward of a referred person. A percentage is an amount too: `unit` says which it is. */
export function offerJson(reward: Reward): z.output<typeof offerAnswer> {
  const { amount, percent, unit } = worth(reward);
  return {
    id: reward.id,
    name: reward.name,
    amount: amount ?? percent,
    unit,
    default_promo_code: reward.coupon,
  };
}

/** The reward of a promoter: a flat amount (cents for `cash`), or a percentage of each sale. */
export function earningJson(reward: Reward): z.output<typeof earningAnswer> {
  const { amount, percent, unit } = worth(reward);
  return {
    id: reward.id,
    amount,
    type: isPerReferral(reward) ? "per_referral" : "per_promotion",
    unit,
    name: reward.name,
    per_of_sale: percent,
    default_promo_code: reward.coupon,
  };
}

/** Whether the sales of referred people earn the reward. @see docs/spec/v1.md "Promotion" */
function isPerReferral({ promoterRewardType }: Reward): boolean {
  return promoterRewardType === "sale" || promoterRewardType === "tier";
}

/** Choice: V1 shows one amount per reward, so it shows the first of several. */
function worth({ schemas }: Reward): { amount: number | null; percent: number | null; unit: string } {
  const [first] = schemas;
  if (first === undefined) return { amount: null, percent: null, unit: "cash" };
  const { unit, amountTenThousandths, isFlat } = first;
  if (!isFlat) return { amount: null, percent: amountTenThousandths / 10_000, unit };
  return { amount: amountTenThousandths / (unit === "cash" ? 100 : 10_000), percent: null, unit };
}
