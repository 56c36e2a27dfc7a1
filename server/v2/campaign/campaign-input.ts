import { z } from "zod";
import type { CampaignChanges } from "../../domain/campaign/changes.ts";
import { flag, id, oneOf, text, webAddress, wholeNumber } from "../../input/fields.ts";
import {
  AD_TRAFFIC_POLICIES,
  ATTRIBUTIONS,
  MAX_HOLD_DAYS,
  UPGRADE_METRICS,
} from "../../domain/campaign/campaign.ts";
import { EMAIL_KINDS } from "../../domain/email/email.ts";
import { rewardEntries } from "../reward/reward-entry-json.ts";
import { signupOf, signupParams } from "./signup-page-json.ts";

const MAX_COOKIE_DAYS = 3_650;
const MAX_LINKS = 100;
const MAX_ORIGINS = 100;
const refParam = text.trim().transform((value) => value.replace(/^\?/, ""));

const links = z
  .array(
    z.object(
      {
        id: id.nullish(),
        name: text.trim().optional(),
        url: webAddress.optional(),
        _destroy: flag.nullish(),
      },
      "is invalid",
    ),
    "is invalid",
  )
  .max(MAX_LINKS, `is too long (maximum is ${MAX_LINKS} entries)`);

const upgrade = z.object(
  {
    campaign_id: id,
    amount: id,
    metric: oneOf(UPGRADE_METRICS),
    move_referrals_on_level_change: flag.nullish(),
  },
  "is invalid",
);

/**
 * Sites like `https://shop.example`, `shop.example`, `*.shop.example` or `*`. None means the landing page's
 * own site.
 */
const allowedOrigins = z
  .array(text.trim().regex(/^[^\s,]+$/, "is invalid"), "is invalid")
  .max(MAX_ORIGINS, `is too long (maximum is ${MAX_ORIGINS} entries)`);

/** The e-mails that promoters get. Those that are not named are off. */
const emails = z
  .partialRecord(oneOf(EMAIL_KINDS), flag, "is invalid")
  .transform((given) => EMAIL_KINDS.filter((kind) => given[kind]));

/** The fields of a campaign that can be changed. */
export const updateBody = z
  .object({
    name: text.trim(),
    landing_url: webAddress,
    ref_token_param: refParam,
    color: text.trim(),
    visitor_cookie_life: id.pipe(
      z.number().max(MAX_COOKIE_DAYS, `must be less than or equal to ${MAX_COOKIE_DAYS}`),
    ),
    auto_approve_promoters: flag,
    auto_approve_commissions: flag,
    commission_hold_days: wholeNumber(0, MAX_HOLD_DAYS),
    is_private: flag,
    promoters_may_add_leads: flag,
    promoters_may_make_promo_codes: flag,
    attribution: oneOf(ATTRIBUTIONS),
    allowed_origins: allowedOrigins,
    track_ad_traffic: oneOf(AD_TRAFFIC_POLICIES),
    links,
    upgrade_details: upgrade.nullable(),
    rewards_for_promoters: rewardEntries,
    rewards_for_referrals: rewardEntries,
    emails,
    signup: signupParams,
  })
  .partial();

/**
 * The fields of a new campaign. Choice: the parameter and the cookie's lifetime are optional because they
 * have defaults.
 */
export const createBody = updateBody.extend({ name: text.trim(), landing_url: webAddress });

/** Translates a body into the domain's words. */
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
