import { z } from "zod";
import type { Campaign } from "../../domain/campaign/campaign.ts";
import { refLink, type PromoterCampaign } from "../../domain/promoter-campaign/promoter-campaign.ts";
import type { Stats } from "../../domain/report/daily.ts";
import type { Reward } from "../../domain/reward/reward.ts";

/** @see docs/spec/v1.md "Promotion" */
const offerAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    amount: z.number().nullable(),
    unit: z.string(),
    default_promo_code: z.string().nullable(),
  })
  .meta({ id: "V1Offer" });

/** @see docs/spec/v1.md "Promotion" */
export const earningAnswer = z
  .object({
    id: z.int(),
    amount: z.number().nullable(),
    type: z.enum(["per_referral", "per_promotion"]),
    unit: z.string(),
    name: z.string(),
    per_of_sale: z.number().nullable(),
    default_promo_code: z.string().nullable(),
  })
  .meta({ id: "V1PromoterReward" });

/** @see docs/spec/v1.md "Promotion" */
export const promotionAnswer = z
  .object({
    id: z.int(),
    status: z.string(),
    ref_id: z.string(),
    promo_code: z.string().nullable(),
    customer_promo_code: z.string().nullable(),
    target_reached_at: z.iso.datetime().nullable(),
    promoter_id: z.int(),
    campaign_id: z.int(),
    referral_link: z.string(),
    current_offer: offerAnswer.nullable(),
    current_referral_reward: earningAnswer.nullable(),
    current_promotion_reward: earningAnswer.nullable(),
    current_target_reward: earningAnswer.nullable(),
    campaign_name: z.string(),
    hidden: z.boolean(),
    visitors_count: z.int(),
    leads_count: z.int(),
    customers_count: z.int(),
    refunds_count: z.int(),
    cancellations_count: z.int(),
    sales_count: z.int(),
    sales_total: z.int(),
    refunds_total: z.int(),
    active_customers_count: z.int(),
  })
  .meta({ id: "V1Promotion" });

/** A promoterCampaign with everything that V1 shows of it. */
export interface PromotionParts {
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
  stats: Stats;
  /** The promoterCampaign's own rewards or, if it has none, the campaign's. */
  rewardsForPromoters: Reward[];
  rewardsForReferrals: Reward[];
}

/** A promoterCampaign as V1 shows it. */
export function promotionJson({
  promoterCampaign,
  campaign,
  stats,
  rewardsForPromoters,
  rewardsForReferrals,
}: PromotionParts): z.output<typeof promotionAnswer> {
  const offers = offersJson({ rewardsForPromoters, rewardsForReferrals });
  return {
    id: promoterCampaign.id,
    status: offers.offer === null ? "offer_inactive" : "offer_running",
    ref_id: promoterCampaign.refToken,
    promo_code: promoterCampaign.coupon,
    customer_promo_code: promoterCampaign.displayCoupon,
    target_reached_at: promoterCampaign.targetsReached[0]?.at ?? null,
    promoter_id: promoterCampaign.promoterId,
    campaign_id: promoterCampaign.campaignId,
    referral_link: refLink(promoterCampaign, campaign),
    current_offer: offers.offer,
    current_referral_reward: offers.referral_reward,
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
    sales_total: stats.salesCents,
    refunds_total: stats.refundsCents,
    active_customers_count: stats.activeCustomers,
  };
}

/** The rewards of referred people and of promoters. */
export const offersAnswer = z.object({
  offer: offerAnswer.nullable(),
  referral_reward: earningAnswer.nullable(),
  promotion_reward: earningAnswer.nullable(),
  target_reward: earningAnswer.nullable(),
});

/**
 * The rewards of a campaign, or of a promoterCampaign that has its own. Choice: V1's reward per referral is what each
 * sale earns. Its reward per promotion is what any other action earns.
 */
export function offersJson({
  rewardsForPromoters,
  rewardsForReferrals: [offer],
}: Pick<PromotionParts, "rewardsForPromoters" | "rewardsForReferrals">): z.output<typeof offersAnswer> {
  return {
    offer: offer === undefined ? null : offerJson(offer),
    referral_reward: firstOf(rewardsForPromoters, ["sale", "tier"]),
    promotion_reward: firstOf(rewardsForPromoters, ["custom"]),
    target_reward: firstOf(rewardsForPromoters, ["target"]),
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

/** Choice: V1 shows one amount per reward, so it shows the first of several. */
function worth({ schemas }: Reward): { amount: number | null; percent: number | null; unit: string } {
  const [first] = schemas;
  if (first === undefined) return { amount: null, percent: null, unit: "cash" };
  const { unit, amountTenThousandths, isFlat } = first;
  if (!isFlat) return { amount: null, percent: amountTenThousandths / 10_000, unit };
  return { amount: amountTenThousandths / (unit === "cash" ? 100 : 10_000), percent: null, unit };
}

function firstOf(rewards: Reward[], types: Reward["promoterRewardType"][]) {
  const reward = rewards.find(({ promoterRewardType }) => types.includes(promoterRewardType));
  return reward === undefined ? null : earningJson(reward);
}

/** Whether the sales of referred people earn the reward. @see docs/spec/v1.md "Promotion" */
function isPerReferral({ promoterRewardType }: Reward): boolean {
  return promoterRewardType === "sale" || promoterRewardType === "tier";
}
