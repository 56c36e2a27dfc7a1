import { z } from "zod";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  campaigns,
  refParam,
  signupUrl,
  UPGRADE_METRICS,
  type Campaign,
  type CampaignUpgrade,
} from "../../domain/program/campaign/campaign.ts";
import { countPromoters } from "../../domain/people/promoter-campaign/search.ts";
import { readRewards, type FullRewardEntry } from "../../domain/program/reward/reward.ts";
import { readCampaignStats, type Stats } from "../../domain/people/daily.ts";
import { EMAIL_KINDS } from "../../domain/events/email.ts";
import { shown } from "../../resource/answer.ts";
import type { View } from "../../storage/store.ts";
import { signupAnswer, signupJson } from "./signup-page-json.ts";
import { rewardEntryAnswer, rewardEntryJson } from "../reward/reward-json.ts";
import { field, recordId } from "../../http/fields.ts";
import { landingUrl } from "../../input/fields.ts";
import type { V2Request } from "../operation.ts";

type Viewer = Pick<V2Request, "account" | "public_url">;

/** What V2 shows a campaign with. */
interface CampaignParts extends Viewer {
  stats: Stats;
  promotersCount: number;
  rewards_for_promoters: FullRewardEntry[];
  rewards_for_referrals: FullRewardEntry[];
}

/** A campaign of V2. */
export const campaignAnswer = shown<Campaign, CampaignParts>(campaigns)("Campaign", {
  id: recordId,
  name: field(z.string(), "Name of the campaign.", "Partners"),
  color: field(z.string(), "Colour of the campaign in the dashboard.", "#2563eb"),
  stats: [
    field(
      z.object({
        referrals_count: field(z.int(), "How many people signed up.", 42),
        sales_count: field(z.int(), "How many sales were made.", 25),
        customers_count: field(z.int(), "How many of them became customers.", 12),
        promoters_count: field(z.int(), "How many promoters there are.", 8),
        revenue_amount: field(z.int(), "Sum of the sales, in cents.", 250000),
      }),
      "Figures of the record.",
    ),
    (_, { stats, promotersCount }) => ({
      referrals_count: stats.referrals,
      sales_count: stats.sales,
      customers_count: stats.customers,
      promoters_count: promotersCount,
      revenue_amount: stats.sales_cents,
    }),
  ],
  landing_url: landingUrl,
  visitor_cookie_life: [
    field(z.int(), "For how many days a visitor counts as referred.", 60),
    ({ visitor_cookie_days }) => visitor_cookie_days,
  ],
  ref_token_param: [
    field(z.string(), "Parameter of referral links that carries the ref token.", "?via"),
    (campaign) => `?${refParam(campaign)}`,
  ],
  // Only leads that promoters add by hand wait for approval.
  auto_approve_leads: [
    field(z.boolean(), "Whether leads that come by a link or a code count without your approval."),
    () => true,
  ],
  attribution: field(
    z.enum(ATTRIBUTIONS),
    "Which promoter gets a visitor who followed the links of two promoters.",
    "last",
  ),
  allowed_origins: field(
    z.array(z.string()),
    "Sites that may send sign-ups from a browser. If empty, only the landing page's own site may.",
    ["https://shop.example.com", "*.example.com"],
  ),
  track_ad_traffic: field(
    z.enum(AD_TRAFFIC_POLICIES),
    "What happens to visits from paid ads: they are recorded as suspicious (`pending`), as clean (`allow`), or not at all (`block`).",
  ),
  auto_approve_promoters: field(z.boolean(), "Whether new promoters are approved without your review."),
  auto_approve_commissions: field(
    z.boolean(),
    "Whether commissions count without your approval. Large and suspicious ones wait for it.",
  ),
  commission_hold_days: field(
    z.int(),
    "Days that commissions are held before they are approved. 0 for none.",
    14,
  ),
  is_private: field(z.boolean(), "Whether promoters join by invitation only."),
  promoters_may_add_leads: field(
    z.boolean(),
    "Whether promoters may add leads by hand. You approve each of them. Default: `false`.",
  ),
  promoters_may_make_promo_codes: field(
    z.boolean(),
    "Whether promoters may make promo codes, each for one of the campaign's rewards for customers. Default: `false`.",
  ),
  is_default: [
    field(z.boolean(), "Whether promoters join this campaign unless another is named."),
    ({ id }, { account }) => account.default_campaign_id === id,
  ],
  upgrade_details: [
    field(
      z
        .object({
          campaign_id: field(z.int(), "Id of the campaign.", 1),
          amount: field(z.int(), "How much of the metric a promoter needs. Revenue is in cents.", 100),
          metric: field(z.enum(UPGRADE_METRICS), "What is counted."),
          move_referrals_on_level_change: field(z.boolean(), "Whether the promoter's leads move too."),
        })
        .nullable(),
      "The campaign for successful promoters, or null if there is none. Promoters are not moved to it automatically.",
    ),
    ({ upgrade }) => upgrade && upgradeJson(upgrade),
  ],
  signup_url: [
    field(
      z.string(),
      "Page where promoters join. That of a private campaign includes the invitation.",
      "https://track.example.com/join/17",
    ),
    (campaign, { account, public_url }) => signupUrl(public_url, account, campaign),
  ],
  links: [
    field(
      z.array(
        z.object({
          id: field(z.int(), "Id of the page. Leave it out to add a page.", 2),
          name: field(z.string(), "Name of the page.", "Pricing"),
          url: field(z.string(), "Address of the page.", "https://www.example.com/pricing"),
        }),
      ),
      "Further pages that promoters may link to.",
    ),
    ({ links }) => links.map(({ id, name, url }) => ({ id, name, url })),
  ],
  rewards_for_promoters: [
    field(z.array(rewardEntryAnswer), "What promoters earn, and for which sales."),
    (_, { rewards_for_promoters }) => rewards_for_promoters.map(rewardEntryJson),
  ],
  rewards_for_referrals: [
    field(z.array(rewardEntryAnswer), "What people who follow the link get."),
    (_, { rewards_for_referrals }) => rewards_for_referrals.map(rewardEntryJson),
  ],
  signup: [field(signupAnswer, "What the sign-up page says and asks."), signupJson],
  emails: [
    field(z.record(z.enum(EMAIL_KINDS), z.boolean()), "Which e-mails promoters get.", {
      signup_accepted: true,
      accepted: true,
      rejected: false,
      new_referral: true,
      new_commission: true,
      payout_sent: true,
    }),
    emailsJson,
  ],
});

/** Shows campaigns to the account of a request. */
export async function showCampaigns(
  { account, public_url }: Viewer,
  view: View,
  records: Campaign[],
): Promise<z.output<typeof campaignAnswer.schema>[]> {
  const ids = records.map(({ id }) => id);
  const entries = records.flatMap((each) => [...each.rewards_for_promoters, ...each.rewards_for_referrals]);
  const [statsOf, promotersCountOf, completed] = await Promise.all([
    readCampaignStats(view, account.id, ids),
    countPromoters(view, account.id, ids),
    readRewards(view, account.id, entries),
  ]);
  return records.map((campaign) =>
    campaignAnswer.json(campaign, {
      account,
      public_url,
      stats: statsOf(campaign.id),
      promotersCount: promotersCountOf(campaign.id),
      rewards_for_promoters: completed(campaign.rewards_for_promoters),
      rewards_for_referrals: completed(campaign.rewards_for_referrals),
    }),
  );
}

/** Shows a campaign to the account of a request. */
export async function showCampaign(viewer: Viewer, view: View, campaign: Campaign) {
  return (await showCampaigns(viewer, view, [campaign]))[0]!;
}

function upgradeJson({ campaign_id, amount, metric, moves_leads }: CampaignUpgrade) {
  return { campaign_id, amount, metric, move_referrals_on_level_change: moves_leads };
}

/** The original API has no such field. */
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
