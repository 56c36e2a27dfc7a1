import { z } from "zod";
import type { CampaignChanges } from "../../domain/program/campaign/changes.ts";
import { flag, id, oneOf, text, webAddress, wholeNumber } from "../../input/fields.ts";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  MAX_HOLD_DAYS,
  UPGRADE_METRICS,
} from "../../domain/program/campaign/campaign.ts";
import { EMAIL_KINDS } from "../../domain/events/email.ts";
import { rewardEntries } from "../reward/reward-entry-json.ts";
import { signupOf, signupParams } from "./signup-page-json.ts";
import { field } from "../../http/fields.ts";
import { campaignAnswer } from "./campaign-json.ts";

const MAX_COOKIE_DAYS = 3_650;
const MAX_LINKS = 100;
const MAX_ORIGINS = 100;
const refParam = field(
  text.trim().transform((value) => value.replace(/^\?/, "")),
  campaignAnswer.shape.ref_token_param,
);

const links = field(
  z
    .array(
      z.object(
        {
          id: field(id.nullish(), "Id of the page. Leave it out to add a page.", 2),
          name: field(text.trim().optional(), "Name of the page.", "Pricing"),
          url: field(webAddress.optional(), "Address of the page.", "https://www.example.com/pricing"),
          _destroy: field(flag.nullish(), "`true` removes the page."),
        },
        "is invalid",
      ),
      "is invalid",
    )
    .max(MAX_LINKS, `is too long (maximum is ${MAX_LINKS} entries)`),
  campaignAnswer.shape.links,
);

const upgrade = z.object(
  {
    campaign_id: field(id, "Id of the campaign.", 1),
    amount: field(id, "How much of the metric a promoter needs. Revenue is in cents.", 100),
    metric: field(oneOf(UPGRADE_METRICS), "What is counted."),
    move_referrals_on_level_change: field(flag.nullish(), "Whether the promoter's leads move too."),
  },
  "is invalid",
);

/**
 * Sites such as `https://shop.example`, `shop.example`, `*.shop.example` or `*`. An empty list allows only the landing
 * page's own site.
 */
const allowedOrigins = field(
  z
    .array(text.trim().regex(/^[^\s,]+$/, "is invalid"), "is invalid")
    .max(MAX_ORIGINS, `is too long (maximum is ${MAX_ORIGINS} entries)`),
  campaignAnswer.shape.allowed_origins,
);

/** The e-mails that promoters get. E-mails that are not listed are off. */
const emails = field(
  z
    .partialRecord(oneOf(EMAIL_KINDS), flag, "is invalid")
    .transform((given) => EMAIL_KINDS.filter((kind) => given[kind])),
  "Which e-mails promoters get. E-mails that are not listed are off.",
  { accepted: true, payout_sent: true },
);

/** The fields of a campaign that can be changed. */
export const updateBody = z
  .object({
    name: field(text.trim(), "Name of the campaign.", "Partners"),
    landing_url: field(webAddress, campaignAnswer.shape.landing_url),
    ref_token_param: refParam,
    color: field(text.trim(), campaignAnswer.shape.color),
    visitor_cookie_life: field(
      id.pipe(z.number().max(MAX_COOKIE_DAYS, `must be less than or equal to ${MAX_COOKIE_DAYS}`)),
      campaignAnswer.shape.visitor_cookie_life,
    ),
    auto_approve_promoters: field(flag, campaignAnswer.shape.auto_approve_promoters),
    auto_approve_commissions: field(flag, campaignAnswer.shape.auto_approve_commissions),
    commission_hold_days: field(wholeNumber(0, MAX_HOLD_DAYS), campaignAnswer.shape.commission_hold_days),
    is_private: field(flag, campaignAnswer.shape.is_private),
    promoters_may_add_leads: field(flag, campaignAnswer.shape.promoters_may_add_leads),
    promoters_may_make_promo_codes: field(flag, campaignAnswer.shape.promoters_may_make_promo_codes),
    attribution: field(oneOf(ATTRIBUTIONS), campaignAnswer.shape.attribution),
    allowed_origins: allowedOrigins,
    track_ad_traffic: field(oneOf(AD_TRAFFIC_POLICIES), campaignAnswer.shape.track_ad_traffic),
    links,
    upgrade_details: field(upgrade.nullable(), campaignAnswer.shape.upgrade_details),
    rewards_for_promoters: field(rewardEntries, campaignAnswer.shape.rewards_for_promoters),
    rewards_for_referrals: field(rewardEntries, "What people who follow the link get."),
    emails,
    signup: field(signupParams, "What the sign-up page says and asks."),
  })
  .partial();

/**
 * The fields of a new campaign. The URL parameter and the cookie's lifetime are optional because they have defaults.
 */
export const createBody = updateBody.extend({
  name: field(text.trim(), "Name of the campaign.", "Partners"),
  landing_url: field(webAddress, campaignAnswer.shape.landing_url),
});

/** Converts a body to the domain's names. */
export function changesOf(body: z.output<typeof updateBody>): CampaignChanges {
  const { upgrade_details: upgrade } = body;
  return {
    name: body.name,
    color: body.color,
    landingUrl: body.landing_url,
    refParam: body.ref_token_param,
    visitorCookieDays: body.visitor_cookie_life,
    autoApprovePromoters: body.auto_approve_promoters,
    autoApproveCommissions: body.auto_approve_commissions,
    commissionHoldDays: body.commission_hold_days,
    attribution: body.attribution,
    allowedOrigins: body.allowed_origins,
    trackAdTraffic: body.track_ad_traffic,
    isPrivate: body.is_private,
    promotersMayAddLeads: body.promoters_may_add_leads,
    promotersMayMakePromoCodes: body.promoters_may_make_promo_codes,
    links: body.links?.map((link) => ({
      id: link.id ?? null,
      name: link.name,
      url: link.url,
      isRemoved: link._destroy ?? false,
    })),
    upgrade: upgrade && {
      campaignId: upgrade.campaign_id,
      amount: upgrade.amount,
      metric: upgrade.metric,
      movesLeads: upgrade.move_referrals_on_level_change ?? false,
    },
    rewardsForPromoters: body.rewards_for_promoters,
    rewardsForReferrals: body.rewards_for_referrals,
    emails: body.emails,
    signup: body.signup && signupOf(body.signup),
  };
}
