import { z } from "zod";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  refParam,
  signupUrl,
  UPGRADE_METRICS,
  type Campaign,
  type CampaignUpgrade,
} from "../../domain/campaign/campaign.ts";
import { promoterCampaigns } from "../../domain/promoter-campaign/promoter-campaign.ts";
import { loadRewardEntries, type FullRewardEntry } from "../../domain/reward/changes.ts";
import type { Show } from "../../domain/show.ts";
import { loadCampaignStats, type Stats } from "../../domain/report/daily.ts";
import { EMAIL_KINDS } from "../../domain/email/email.ts";
import type { Account } from "../../domain/account/account.ts";
import type { View } from "../../storage/store.ts";
import { signupAnswer, signupJson } from "./signup-page-json.ts";
import { rewardEntryAnswer, rewardEntryJson } from "../reward/reward-entry-json.ts";

/** A campaign of V2. */
export const campaignAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    color: z.string(),
    stats: z.object({
      referrals_count: z.int(),
      sales_count: z.int(),
      customers_count: z.int(),
      promoters_count: z.int(),
      revenue_amount: z.int(),
    }),
    landing_url: z.string(),
    visitor_cookie_life: z.int(),
    ref_token_param: z.string(),
    auto_approve_leads: z.boolean(),
    attribution: z.enum(ATTRIBUTIONS),
    allowed_origins: z.array(z.string()),
    track_ad_traffic: z.enum(AD_TRAFFIC_POLICIES),
    auto_approve_promoters: z.boolean(),
    auto_approve_commissions: z.boolean(),
    commission_hold_days: z.int(),
    is_private: z.boolean(),
    promoters_may_add_leads: z.boolean(),
    promoters_may_make_promo_codes: z.boolean(),
    is_default: z.boolean(),
    upgrade_details: z
      .object({
        campaign_id: z.int(),
        amount: z.int(),
        metric: z.enum(UPGRADE_METRICS),
        move_referrals_on_level_change: z.boolean(),
      })
      .nullable(),
    signup_url: z.string(),
    links: z.array(z.object({ id: z.int(), name: z.string(), url: z.string() })),
    rewards_for_promoters: z.array(rewardEntryAnswer),
    rewards_for_referrals: z.array(rewardEntryAnswer),
    signup: signupAnswer,
    emails: z.record(z.enum(EMAIL_KINDS), z.boolean()),
  })
  .meta({ id: "Campaign" });

/** A campaign with everything that V2 shows of it. */
interface CampaignParts {
  campaign: Campaign;
  isDefault: boolean;
  signupUrl: string;
  stats: Stats & { promoters: number };
  rewardsForPromoters: FullRewardEntry[];
  rewardsForReferrals: FullRewardEntry[];
}

/** Shows a campaign of an account. */
export function showCampaignOf(
  account: Account,
  publicUrl: string,
): Show<Campaign, z.output<typeof campaignAnswer>> {
  return async (view, campaign) => {
    const parts = await readCampaignParts(view, account, campaign);
    return campaignJson({ ...parts, signupUrl: signupUrl(publicUrl, account, campaign) });
  };
}

/** Reads what V2 shows of a campaign besides its own record. */
async function readCampaignParts(
  view: View,
  account: Account,
  campaign: Campaign,
): Promise<Omit<CampaignParts, "signupUrl">> {
  const { accountId, id } = campaign;
  return {
    campaign,
    isDefault: account.defaultCampaignId === id,
    stats: {
      ...(await loadCampaignStats(view, accountId, id)),
      promoters: await view.count(promoterCampaigns, "campaign", accountId, [id]),
    },
    rewardsForPromoters: await loadRewardEntries(view, accountId, campaign.rewardsForPromoters),
    rewardsForReferrals: await loadRewardEntries(view, accountId, campaign.rewardsForReferrals),
  };
}

/** A campaign as V2 shows it. */
function campaignJson(parts: CampaignParts): z.output<typeof campaignAnswer> {
  const { campaign, stats } = parts;
  return {
    id: campaign.id,
    name: campaign.name,
    color: campaign.color,
    stats: {
      referrals_count: stats.referrals,
      sales_count: stats.sales,
      customers_count: stats.customers,
      promoters_count: stats.promoters,
      revenue_amount: stats.salesCents,
    },
    landing_url: campaign.landingUrl,
    visitor_cookie_life: campaign.visitorCookieDays,
    ref_token_param: `?${refParam(campaign)}`,
    auto_approve_leads: true, // Only leads that promoters add by hand wait for approval.
    attribution: campaign.attribution,
    allowed_origins: campaign.allowedOrigins,
    track_ad_traffic: campaign.trackAdTraffic,
    auto_approve_promoters: campaign.autoApprovePromoters,
    auto_approve_commissions: campaign.autoApproveCommissions,
    commission_hold_days: campaign.commissionHoldDays,
    is_private: campaign.isPrivate,
    promoters_may_add_leads: campaign.promotersMayAddLeads ?? false,
    promoters_may_make_promo_codes: campaign.promotersMayMakePromoCodes ?? false,
    is_default: parts.isDefault,
    upgrade_details: campaign.upgrade && upgradeJson(campaign.upgrade),
    signup_url: parts.signupUrl,
    links: campaign.links.map(({ id, name, url }) => ({ id, name, url })),
    rewards_for_promoters: parts.rewardsForPromoters.map(rewardEntryJson),
    rewards_for_referrals: parts.rewardsForReferrals.map(rewardEntryJson),
    signup: signupJson(campaign),
    emails: emailsJson(campaign),
  };
}

function upgradeJson({ campaignId, amount, metric, movesLeads }: CampaignUpgrade) {
  return { campaign_id: campaignId, amount, metric, move_referrals_on_level_change: movesLeads };
}

/** Choice: the interface has no field for the switches of e-mails, so we added this one. */
function emailsJson({ emails }: Campaign) {
  return {
    signup_accepted: emails.includes("signup_accepted"),
    accepted: emails.includes("accepted"),
    rejected: emails.includes("rejected"),
    new_referral: emails.includes("new_referral"),
    new_commission: emails.includes("new_commission"),
    payout_sent: emails.includes("payout_sent"),
  };
}
