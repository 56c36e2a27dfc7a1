import { z } from "zod";
import type { Campaign } from "../domain/program/campaign/campaign.ts";
import { refLink, type PromoterCampaign } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import type { Stats } from "../domain/people/daily.ts";
import type { Reward } from "../domain/program/reward/reward.ts";
import { field, recordId } from "../http/fields.ts";
import { coupon, referralLink, refToken } from "../input/fields.ts";

/** @see docs/spec/v1.md "Promotion" */
const offerAnswer = z
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
    amount: field(z.number(), "The fixed amount (cents for `cash`), or 0 for a percentage.", 0),
    type: field(z.enum(["per_referral", "per_promotion"]), "What kind of event was recorded."),
    unit: field(z.string(), "Unit of the amount.", "cash"),
    name: field(z.string(), "Name of the reward.", "20% of each sale"),
    per_of_sale: field(z.number(), "Percentage of each sale, or 0 for a fixed amount.", 20),
    default_promo_code: field(z.string(), "Coupon that the reward stands for, or an empty text.", ""),
  })
  .meta({ id: "V1PromoterReward" });

/** @see docs/spec/v1.md "Promotion" */
export const promotionAnswer = z
  .object({
    id: recordId,
    status: field(
      z.string(),
      "Whether referred people get a reward: `offer_running` or `offer_inactive`.",
      "offer_running",
    ),
    ref_id: refToken,
    promo_code: coupon,
    customer_promo_code: field(
      z.string().nullable(),
      "The code that customers type at the checkout.",
      "JANE10",
    ),
    target_reached_at: field(
      z.iso.datetime().nullable(),
      "When the promoter reached the campaign's target, or null if they have not.",
      null,
    ),
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    campaign_id: field(z.int(), "Id of the campaign.", 1),
    referral_link: referralLink,
    current_offer: field(offerAnswer.nullable(), "What people who follow the link get, or null if nothing."),
    current_referral_reward: field(
      earningAnswer,
      "What the promoter earns for each sale. If nothing, its numbers are 0 and its texts empty.",
    ),
    current_promotion_reward: field(
      earningAnswer.nullable(),
      "What the promoter earns besides sales, or null if nothing.",
    ),
    current_target_reward: field(
      earningAnswer.nullable(),
      "What the promoter earns for a target, or null if nothing.",
    ),
    campaign_name: field(z.string(), "Name of the campaign.", "Partners"),
    hidden: field(z.boolean(), "Whether the promoter's dashboard hides the campaign."),
    visitors_count: field(z.int(), "How many visitors followed the link.", 340),
    leads_count: field(z.int(), "How many people signed up.", 42),
    customers_count: field(z.int(), "How many of them became customers.", 12),
    refunds_count: field(z.int(), "How many sales were refunded.", 1),
    cancellations_count: field(z.int(), "How many customers cancelled.", 2),
    sales_count: field(z.int(), "How many sales were made.", 25),
    sales_total: field(z.int(), "Sum of the sales, in cents.", 250000),
    refunds_total: field(z.int(), "Sum of the refunds, in cents.", 10000),
    active_customers_count: field(z.int(), "How many of them are customers now.", 10),
  })
  .meta({ id: "V1Promotion" });

/** A promoterCampaign with the related records that V1 shows. */
export interface PromotionParts {
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
  stats: Stats;
  /** The promoterCampaign's own rewards or, if it has none, the campaign's. */
  rewards_for_promoters: Reward[];
  rewards_for_referrals: Reward[];
}

/** A promoterCampaign as V1 shows it. */
export function promotionJson({
  promoterCampaign,
  campaign,
  stats,
  rewards_for_promoters,
  rewards_for_referrals,
}: PromotionParts): z.output<typeof promotionAnswer> {
  const offers = offersJson({ rewards_for_promoters, rewards_for_referrals });
  return {
    id: promoterCampaign.id,
    status: offers.offer === null ? "offer_inactive" : "offer_running",
    ref_id: promoterCampaign.ref_token,
    promo_code: promoterCampaign.coupon,
    customer_promo_code: promoterCampaign.display_coupon,
    target_reached_at: promoterCampaign.targets_reached[0]?.at ?? null,
    promoter_id: promoterCampaign.promoter_id,
    campaign_id: promoterCampaign.campaign_id,
    referral_link: refLink(promoterCampaign, campaign),
    current_offer: offers.offer,
    current_referral_reward: offers.referral_reward ?? NO_EARNING,
    current_promotion_reward: offers.promotion_reward,
    current_target_reward: offers.target_reward,
    campaign_name: campaign.name,
    hidden: false,
    visitors_count: stats.clicks,
    leads_count: stats.referrals,
    customers_count: stats.customers,
    refunds_count: stats.refunds,
    cancellations_count: stats.cancellations,
    sales_count: stats.sales,
    sales_total: stats.sales_cents,
    refunds_total: stats.refunds_cents,
    active_customers_count: stats.active_customers,
  };
}

/** Stands for no reward, because clients of V1 read the fields of `current_referral_reward` without asking for null. */
const NO_EARNING: z.output<typeof earningAnswer> = {
  id: 0,
  amount: 0,
  type: "per_referral",
  unit: "",
  name: "",
  per_of_sale: 0,
  default_promo_code: "",
};

/** The rewards of referred people and of promoters. */
export const offersAnswer = z.object({
  offer: field(offerAnswer.nullable(), "Always null."),
  referral_reward: field(earningAnswer.nullable(), "What promoters earn from each sale."),
  promotion_reward: field(earningAnswer.nullable(), "What promoters earn from other actions."),
  target_reward: field(earningAnswer.nullable(), "What promoters earn when they reach a target."),
});

/**
 * The rewards of a campaign, or of a promoterCampaign that has its own. V1's reward per referral is the one for sales,
 * its reward per promotion the one for any other action.
 */
export function offersJson({
  rewards_for_promoters,
  rewards_for_referrals: [offer],
}: Pick<PromotionParts, "rewards_for_promoters" | "rewards_for_referrals">): z.output<typeof offersAnswer> {
  return {
    offer: offer === undefined ? null : offerJson(offer),
    referral_reward: firstOf(rewards_for_promoters, ["sale", "tier"]),
    promotion_reward: firstOf(rewards_for_promoters, ["custom"]),
    target_reward: firstOf(rewards_for_promoters, ["target"]),
  };
}

/** The reward of a promoter: a flat amount (cents for `cash`), or a percentage of each sale. */
export function earningJson(reward: Reward): z.output<typeof earningAnswer> {
  const { amount, percent, unit } = worth(reward);
  return {
    id: reward.id,
    amount: amount ?? 0,
    type: isPerReferral(reward) ? "per_referral" : "per_promotion",
    unit,
    name: reward.name,
    per_of_sale: percent ?? 0,
    default_promo_code: reward.coupon ?? "",
  };
}

/** The reward of a referred person. A percentage is an amount too: `unit` says which it is. */
function offerJson(reward: Reward): z.output<typeof offerAnswer> {
  const { amount, percent, unit } = worth(reward);
  return {
    id: reward.id,
    name: reward.name,
    amount: amount ?? percent,
    unit,
    default_promo_code: reward.coupon,
  };
}

/** V1 has one amount per reward, so it shows the first of several. */
function worth({ schemas }: Reward): { amount: number | null; percent: number | null; unit: string } {
  const [first] = schemas;
  if (first === undefined) return { amount: null, percent: null, unit: "cash" };
  const { unit, amount_ten_thousandths, is_flat } = first;
  if (!is_flat) return { amount: null, percent: amount_ten_thousandths / 10_000, unit };
  return { amount: amount_ten_thousandths / (unit === "cash" ? 100 : 10_000), percent: null, unit };
}

function firstOf(rewards: Reward[], types: Reward["promoter_reward_type"][]) {
  const reward = rewards.find(({ promoter_reward_type }) => types.includes(promoter_reward_type));
  return reward === undefined ? null : earningJson(reward);
}

/** Whether the sales of referred people earn the reward. @see docs/spec/v1.md "Promotion" */
function isPerReferral({ promoter_reward_type }: Reward): boolean {
  return promoter_reward_type === "sale" || promoter_reward_type === "tier";
}
