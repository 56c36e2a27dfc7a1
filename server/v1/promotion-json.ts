import { z } from "zod";
import { refLink } from "../domain/promoter-campaign.ts";
import type { Stats } from "../domain/stats.ts";
import type { Campaign, PromoterCampaign } from "../records.ts";

const offer = z.object({
  id: z.int(),
  name: z.string(),
  amount: z.number(),
  unit: z.string(),
  default_promo_code: z.string().nullable(),
});
const anyReward = z.record(z.string(), z.unknown()).nullable();

/** @see spec "V1 promotion" */
export const promotionAnswer = z.object({
  id: z.int(),
  status: z.string(),
  ref_id: z.string(),
  promo_code: z.string().nullable(),
  customer_promo_code: z.string().nullable(),
  target_reached_at: z.iso.datetime().nullable(),
  promoter_id: z.int(),
  campaign_id: z.int(),
  referral_link: z.string(),
  current_offer: offer.nullable(),
  current_referral_reward: offer.extend({ per_of_sale: z.number() }).nullable(),
  current_promotion_reward: anyReward,
  current_target_reward: anyReward,
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
});

/** A participation with all that its V1 form shows. */
export interface PromotionParts {
  promoterCampaign: PromoterCampaign;
  campaign: Campaign;
  stats: Stats;
}

/** A participation as V1 shows it. */
export function promotionJson({
  promoterCampaign,
  campaign,
  stats,
}: PromotionParts): z.output<typeof promotionAnswer> {
  return {
    id: promoterCampaign.id,
    status: "offer_inactive", // `offer_running` goes with a reward for the referred, and none exists yet
    ref_id: promoterCampaign.refToken,
    promo_code: promoterCampaign.coupon,
    customer_promo_code: promoterCampaign.displayCoupon,
    target_reached_at: null,
    promoter_id: promoterCampaign.promoterId,
    campaign_id: promoterCampaign.campaignId,
    referral_link: refLink(promoterCampaign, campaign),
    current_offer: null,
    current_referral_reward: null,
    current_promotion_reward: null,
    current_target_reward: null,
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
