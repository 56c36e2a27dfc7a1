import { z } from "zod";
import { listCodesInUse } from "../../domain/people/promo-code/promo-code.ts";
import { loadPromoter, type Promoter } from "../../domain/people/promoter/promoter.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  refLink,
  withCampaign,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { loadRewardEntries, type FullRewardEntry } from "../../domain/program/reward/changes.ts";
import { loadStats, type Stats } from "../../domain/people/daily.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import type { View } from "../../storage/store.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { rewardEntryAnswer, rewardEntryJson } from "../reward/reward-entry-json.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { coupon, refToken, referralLink } from "../../input/fields.ts";

/** @see docs/spec/v2.md "Promoter campaign" */
export const promoterCampaignAnswer = z
  .object({
    id: recordId,
    campaign_id: field(z.int(), "Id of the campaign.", 1),
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    created_at: createdAt,
    promoter: field(embeddedPromoter, "The promoter, or null if they were deleted."),
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
    state: field(z.enum(PROMOTER_CAMPAIGN_STATES), "Whether the promoter may refer in this campaign."),
    stats: field(
      z.object({
        clicks_count: field(z.int(), "How many visitors followed the link.", 340),
        referrals_count: field(z.int(), "How many people signed up.", 42),
        sales_count: field(z.int(), "How many sales were made.", 25),
        customers_count: field(z.int(), "How many of them became customers.", 12),
        revenue_amount: field(z.number(), "Sum of the sales, in cents.", 250000),
      }),
      "Figures of the record.",
    ),
    coupon: coupon,
    display_coupon: field(z.string().nullable(), "The code that customers type at the checkout.", "JANE10"),
    ref_token: refToken,
    ref_link: referralLink,
    direct_url: field(
      z.string().nullable(),
      "A page of the promoter's own that counts visits without a parameter, or null for none.",
      null,
    ),
    is_customized: field(z.boolean(), "Whether this promoter has their own rewards in a campaign."),
    referral_rewards_customized: field(
      z.boolean(),
      "Whether referred people get other rewards than the campaign's.",
    ),
    promoter_rewards_customized: field(
      z.boolean(),
      "Whether the promoter earns other rewards than the campaign's.",
    ),
    rewards_for_promoters: field(z.array(rewardEntryAnswer), "What promoters earn, and for which sales."),
    rewards_for_referrals: field(z.array(rewardEntryAnswer), "What people who follow the link get."),
    promo_codes: field(z.array(z.string()), "The promo codes in use.", ["JANE10"]),
  })
  .meta({ id: "PromoterCampaign" });

/** A promoterCampaign with the related records that V2 shows. */
export interface PromoterCampaignParts {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  campaign: Campaign;
  stats: Stats;
  /** The rewards that apply: the promoterCampaign's own or, if it has none, the campaign's. */
  rewardsForPromoters: FullRewardEntry[];
  rewardsForReferrals: FullRewardEntry[];
  codesInUse: string[];
}

/** Shows a promoterCampaign. @throws Failure `not_found` if it was deleted */
export async function showPromoterCampaign(
  view: View,
  promoterCampaign: PromoterCampaign,
): Promise<z.output<typeof promoterCampaignAnswer>> {
  return promoterCampaignJson(await readPromoterCampaignParts(view, promoterCampaign));
}

/**
 * Reads the related records that V2 shows with a promoterCampaign.
 *
 * @throws Failure `not_found` if it was deleted
 */
export async function readPromoterCampaignParts(
  view: View,
  found: PromoterCampaign,
  known?: Promoter,
): Promise<PromoterCampaignParts> {
  const { promoterCampaign, campaign } = await withCampaign(view, found);
  const { accountId, id, promoterId, rewardsForPromoters, rewardsForReferrals } = promoterCampaign;
  return {
    promoterCampaign,
    promoter: known ?? (await loadPromoter(view, accountId, promoterId)),
    campaign,
    stats: await loadStats(view, promoterCampaign),
    rewardsForPromoters: await loadRewardEntries(
      view,
      accountId,
      rewardsForPromoters ?? campaign.rewardsForPromoters,
    ),
    rewardsForReferrals: await loadRewardEntries(
      view,
      accountId,
      rewardsForReferrals ?? campaign.rewardsForReferrals,
    ),
    codesInUse: await listCodesInUse(view, accountId, id),
  };
}

/** A promoterCampaign as V2 shows it. */
export function promoterCampaignJson(parts: PromoterCampaignParts): z.output<typeof promoterCampaignAnswer> {
  const { promoterCampaign, promoter, campaign, stats } = parts;
  const hasOwnPromoterRewards = promoterCampaign.rewardsForPromoters !== null;
  const hasOwnReferralRewards = promoterCampaign.rewardsForReferrals !== null;
  return {
    id: promoterCampaign.id,
    campaign_id: promoterCampaign.campaignId,
    promoter_id: promoterCampaign.promoterId,
    created_at: promoterCampaign.createdAt,
    promoter: embeddedPromoterJson(promoter),
    campaign: embeddedCampaignJson(campaign),
    state: promoterCampaign.state,
    stats: {
      clicks_count: stats.clicks,
      referrals_count: stats.referrals,
      sales_count: stats.sales,
      customers_count: stats.customers,
      revenue_amount: stats.salesCents,
    },
    coupon: promoterCampaign.coupon,
    display_coupon: promoterCampaign.displayCoupon,
    ref_token: promoterCampaign.refToken,
    ref_link: refLink(promoterCampaign, campaign),
    direct_url: promoterCampaign.usesUrlTracking ? promoterCampaign.landingUrl : null,
    is_customized: hasOwnPromoterRewards || hasOwnReferralRewards,
    referral_rewards_customized: hasOwnReferralRewards,
    promoter_rewards_customized: hasOwnPromoterRewards,
    rewards_for_promoters: parts.rewardsForPromoters.map(rewardEntryJson),
    rewards_for_referrals: parts.rewardsForReferrals.map(rewardEntryJson),
    promo_codes: parts.codesInUse,
  };
}
