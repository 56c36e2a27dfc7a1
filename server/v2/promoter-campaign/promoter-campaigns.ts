import { z } from "zod";
import {
  findPromoterCampaigns,
  searchPromoterCampaigns,
} from "../../domain/people/promoter-campaign/search.ts";
import {
  updatePromoterCampaign,
  type PromoterCampaignChanges,
} from "../../domain/people/promoter-campaign/changes.ts";
import {
  isRefToken,
  PROMOTER_CAMPAIGN_STATES,
  loadPromoterCampaign,
  withCampaign,
  refLink,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { showAll } from "../../domain/show.ts";
import { v2FieldError } from "../../http/errors.ts";
import {
  flag,
  id,
  listOf,
  oneOf,
  text,
  webAddress,
  coupon,
  refToken,
  referralLink,
} from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { pageParams, readListing, readPathId } from "../../resource/listing.ts";
import { rewardEntries, rewardEntryAnswer, rewardEntryJson } from "../reward/reward-json.ts";
import { createdSecond, field, recordId, wholeSecond } from "../../http/fields.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import { listReferralLinks, type ReferralLink } from "../../domain/people/referral-link.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { listCodesInUse } from "../../domain/people/promo-code/promo-code.ts";
import { loadPromoter, type Promoter } from "../../domain/people/promoter/promoter.ts";
import { loadRewardEntries, type FullRewardEntry } from "../../domain/program/reward/reward.ts";
import { loadStats, type Stats } from "../../domain/people/daily.ts";
import type { View } from "../../storage/store.ts";

/** @see docs/spec/v2.md "Promoter campaigns" */
const SEARCH_LENGTH = 5;

const state = oneOf(PROMOTER_CAMPAIGN_STATES);

/** @see docs/spec/v2.md "Promoter campaigns" */
const listParams = pageParams.extend({
  q: field(text.optional(), "Text to search for in names and e-mail addresses.", "jane"),
  ids: field(listOf(id).optional(), "Ids of the records.", [17, 18]),
  filters: field(
    z
      .object(
        {
          campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
          promoter_id: field(id, "Id of the promoter.", 17),
          state: field(state, "Only records in this state. `not_set`: in no campaign."),
        },
        "is invalid",
      )
      .partial()
      .optional(),
    "Only records that match.",
  ),
});

const searchParams = z.object({
  q: field(text, listParams.shape.q),
});

/** @see docs/spec/v2.md "Promoter campaign" */
export const promoterCampaignAnswer = z
  .object({
    id: recordId,
    campaign_id: field(z.int(), "Id of the campaign.", 1),
    promoter_id: field(z.int(), "Id of the promoter.", 17),
    created_at: createdSecond,
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
    coupon,
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

/** @see docs/spec/v2.md "Update a promoter campaign" */
const updateBody = z
  .object({
    state: field(state, "State of the record."),
    ref_token: field(
      text.trim().refine(isRefToken, "only lower-case letters, digits, - and _ are allowed"),
      promoterCampaignAnswer.shape.ref_token,
    ),
    coupon: field(text.trim().nullable(), promoterCampaignAnswer.shape.coupon),
    display_coupon: field(text.trim().nullable(), promoterCampaignAnswer.shape.display_coupon),
    direct_url: field(webAddress.nullable(), promoterCampaignAnswer.shape.direct_url),
    rewards_for_promoters: field(rewardEntries, promoterCampaignAnswer.shape.rewards_for_promoters),
    rewards_for_referrals: field(rewardEntries, "What people who follow the link get."),
    promoter_rewards_customized: field(flag, promoterCampaignAnswer.shape.promoter_rewards_customized),
    referral_rewards_customized: field(flag, promoterCampaignAnswer.shape.referral_rewards_customized),
  })
  .partial();

const WIRE_NAMES = {};

/** `GET /api/v2/company/promoter_campaigns` */
export const listPromoterCampaignsOperation: V2Operation = {
  id: "listPromoterCampaigns",
  summary: "List promoter campaigns",
  description: "Lists promoter campaigns with their referral links, coupons and figures.",
  params: listParams,
  answer: z.array(promoterCampaignAnswer),
  isPaged: true,
  refusals: ["invalid"],
  shape: v2FieldError,
  handle: list,
};

/** `GET /api/v2/company/promoter_campaigns/search` */
export const searchPromoterCampaignsOperation: V2Operation = {
  id: "searchPromoterCampaigns",
  summary: "Find promoter campaigns by a promoter's name or e-mail, a ref token or a coupon",
  description: "Finds up to five by a promoter's name or e-mail, a referral id or a coupon.",
  params: searchParams,
  answer: z.array(promoterCampaignAnswer),
  refusals: ["invalid"],
  shape: v2FieldError,
  handle: search,
};

/** `PUT` and `PATCH /api/v2/company/promoter_campaigns/{id}` */
export const updatePromoterCampaignOperation: V2Operation = {
  id: "updatePromoterCampaign",
  summary: "Update a promoter campaign",
  description:
    "Changes a promoter's part in a campaign: state, referral id, coupon, and own rewards. The id is that of the promoter campaign, not of the promoter.",
  example: { state: "accepted", coupon: "JANE10" },
  body: updateBody,
  answer: promoterCampaignAnswer,
  refusals: ["not_found", "invalid", "taken", "rule_broken", "refused"],
  shape: recordError(WIRE_NAMES, v2FieldError),
  handle: update,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  const { records, total } = await findPromoterCampaigns(context.store, account.id, {
    filter: {
      text: params.q,
      ids: params.ids,
      campaign_ids: params.filters?.campaign_id,
      promoter_id: params.filters?.promoter_id,
      state: params.filters?.state,
    },
    ...window,
  });
  setPageHeaders(request, page, total);
  return showAll(context.store, records, showPromoterCampaign);
}

async function search({ event, account, context }: V2Request) {
  const { q } = shapeInput(searchParams, readNestedQuery(event));
  const { store } = context;
  const found = await searchPromoterCampaigns(store, account.id, { text: q, limit: SEARCH_LENGTH });
  return showAll(store, found, showPromoterCampaign);
}

async function update({ event, account, context }: V2Request) {
  const id = readPathId(event);
  const changes = changesOf(shapeChanges(updateBody, await readJson(event)));
  return updatePromoterCampaign(context, account.id, { id, changes, show: showPromoterCampaign });
}

function changesOf(body: z.output<typeof updateBody>): PromoterCampaignChanges {
  return {
    state: body.state,
    ref_token: body.ref_token,
    coupon: body.coupon,
    display_coupon: body.display_coupon,
    direct_url: body.direct_url,
    rewards_for_promoters: body.rewards_for_promoters,
    rewards_for_referrals: body.rewards_for_referrals,
    hasOwnPromoterRewards: body.promoter_rewards_customized,
    hasOwnReferralRewards: body.referral_rewards_customized,
  };
}

/** A link that a promoter shares. */
export const referralLinkAnswer = z
  .object({
    id: field(z.int(), "Id of the campaign's page, or 0 for the usual link.", 0),
    name: field(z.string(), "Name of the page.", "Pricing"),
    url: field(z.string(), "The promoter's link to the page.", "https://www.example.com/pricing?via=jane"),
    is_default: field(z.boolean(), "Whether it is the promoter's usual link."),
    source: field(z.enum(["campaign", "promoter"]), "Whose page the link leads to."),
    sub_id: field(z.string().nullable(), "Always null.", null),
    campaign: field(embeddedCampaign, "The campaign, or null if it was deleted."),
  })
  .meta({ id: "ReferralLink" });

/** `GET /api/v2/company/promoter_campaigns/{id}/referral_links` */
export const listReferralLinksOperation: V2Operation = {
  id: "listReferralLinks",
  summary: "List the links of a promoter campaign",
  description: "Lists a promoter's links: the usual one, and those to the campaign's further pages.",
  answer: z.array(referralLinkAnswer),
  refusals: ["not_found"],
  shape: v2FieldError,
  handle: listLinks,
};

async function listLinks({ event, account, context: { store } }: V2Request) {
  const found = await loadPromoterCampaign(store, account.id, readPathId(event));
  const { promoterCampaign, campaign } = await withCampaign(store, found);
  const links = await listReferralLinks(store, promoterCampaign, campaign);
  return links.map((link) => referralLinkJson(link, campaign));
}

/** A link as V2 shows it. */
export function referralLinkJson(
  { id, name, url, is_default, source, sub_id }: ReferralLink,
  campaign: Campaign,
): z.output<typeof referralLinkAnswer> {
  return {
    id,
    name,
    url,
    is_default,
    source,
    sub_id,
    campaign: embeddedCampaignJson(campaign),
  };
}

/** A promoterCampaign with the related records that V2 shows. */
export interface PromoterCampaignParts {
  promoterCampaign: PromoterCampaign;
  promoter: Promoter;
  campaign: Campaign;
  stats: Stats;
  /** The rewards that apply: the promoterCampaign's own or, if it has none, the campaign's. */
  rewards_for_promoters: FullRewardEntry[];
  rewards_for_referrals: FullRewardEntry[];
  codesInUse: string[];
}

/** Shows a promoterCampaign. @throws Failure `not_found` if it was deleted */
async function showPromoterCampaign(
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
  const { account_id, id, promoter_id, rewards_for_promoters, rewards_for_referrals } = promoterCampaign;
  return {
    promoterCampaign,
    promoter: known ?? (await loadPromoter(view, account_id, promoter_id)),
    campaign,
    stats: await loadStats(view, promoterCampaign),
    rewards_for_promoters: await loadRewardEntries(
      view,
      account_id,
      rewards_for_promoters ?? campaign.rewards_for_promoters,
    ),
    rewards_for_referrals: await loadRewardEntries(
      view,
      account_id,
      rewards_for_referrals ?? campaign.rewards_for_referrals,
    ),
    codesInUse: (await listCodesInUse(view, account_id, [id]))(id).map(({ code }) => code),
  };
}

/** A promoterCampaign as V2 shows it. */
export function promoterCampaignJson(parts: PromoterCampaignParts): z.output<typeof promoterCampaignAnswer> {
  const { promoterCampaign, promoter, campaign, stats } = parts;
  const hasOwnPromoterRewards = promoterCampaign.rewards_for_promoters !== null;
  const hasOwnReferralRewards = promoterCampaign.rewards_for_referrals !== null;
  return {
    id: promoterCampaign.id,
    campaign_id: promoterCampaign.campaign_id,
    promoter_id: promoterCampaign.promoter_id,
    created_at: wholeSecond(promoterCampaign.created_at),
    promoter: embeddedPromoterJson(promoter),
    campaign: embeddedCampaignJson(campaign),
    state: promoterCampaign.state,
    stats: {
      clicks_count: stats.clicks,
      referrals_count: stats.referrals,
      sales_count: stats.sales,
      customers_count: stats.customers,
      revenue_amount: stats.sales_cents,
    },
    coupon: promoterCampaign.coupon,
    display_coupon: promoterCampaign.display_coupon,
    ref_token: promoterCampaign.ref_token,
    ref_link: refLink(promoterCampaign, campaign),
    direct_url: promoterCampaign.uses_url_tracking ? promoterCampaign.landing_url : null,
    is_customized: hasOwnPromoterRewards || hasOwnReferralRewards,
    referral_rewards_customized: hasOwnReferralRewards,
    promoter_rewards_customized: hasOwnPromoterRewards,
    rewards_for_promoters: parts.rewards_for_promoters.map(rewardEntryJson),
    rewards_for_referrals: parts.rewards_for_referrals.map(rewardEntryJson),
    promo_codes: parts.codesInUse,
  };
}
