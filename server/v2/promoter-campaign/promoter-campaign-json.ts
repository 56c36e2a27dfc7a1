import { z } from "zod";
import { listCodesInUse } from "../../domain/promo-code/promo-code.ts";
import { loadPromoter, type Promoter } from "../../domain/promoter/promoter.ts";
import {
  PROMOTER_CAMPAIGN_STATES,
  refLink,
  withCampaign,
  type PromoterCampaign,
} from "../../domain/promoter-campaign/promoter-campaign.ts";
import { loadRewardEntries, type FullRewardEntry } from "../../domain/reward/changes.ts";
import { loadStats, type Stats } from "../../domain/report/daily.ts";
import type { Campaign } from "../../domain/campaign/campaign.ts";
import type { View } from "../../storage/store.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { rewardEntryAnswer, rewardEntryJson } from "../reward/reward-entry-json.ts";

/** @see docs/spec/v2.md "Promoter campaign" */
export const promoterCampaignAnswer = z
  .object({
    id: z.int(),
    campaign_id: z.int(),
    promoter_id: z.int(),
    created_at: z.iso.datetime(),
    promoter: embeddedPromoter,
    campaign: embeddedCampaign,
    state: z.enum(PROMOTER_CAMPAIGN_STATES),
    stats: z.object({
      clicks_count: z.int(),
      referrals_count: z.int(),
      sales_count: z.int(),
      customers_count: z.int(),
      revenue_amount: z.number(),
    }),
    coupon: z.string().nullable(),
    display_coupon: z.string().nullable(),
    ref_token: z.string(),
    ref_link: z.string(),
    direct_url: z.string().nullable(),
    is_customized: z.boolean(),
    referral_rewards_customized: z.boolean(),
    promoter_rewards_customized: z.boolean(),
    rewards_for_promoters: z.array(rewardEntryAnswer),
    rewards_for_referrals: z.array(rewardEntryAnswer),
    promo_codes: z.array(z.string()),
  })
  .meta({ id: "PromoterCampaign" });

/** A promoterCampaign with everything that V2 shows of it. */
export interface PromoterCampaignParts {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  campaign: Campaign;
  stats: Stats;
  /** The rewards that count: the promoterCampaign's own or, if it has none, the campaign's. */
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
 * Reads what V2 shows of a promoterCampaign besides its own record.
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
