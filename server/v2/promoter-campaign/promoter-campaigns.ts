import { z } from "zod";
import {
  mentions,
  promoterCampaignParts,
  searchPromoterCampaigns,
  type PromoterCampaignParts,
} from "../../domain/people/promoter-campaign/search.ts";
import { updatePromoterCampaign } from "../../domain/people/promoter-campaign/changes.ts";
import {
  isRefToken,
  PROMOTER_CAMPAIGN_STATES,
  loadPromoterCampaign,
  promoterCampaigns,
  withCampaign,
  refLink,
  type PromoterCampaign,
} from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters, type Promoter } from "../../domain/people/promoter/promoter.ts";
import type { Campaign } from "../../domain/program/campaign/campaign.ts";
import { listReferralLinks, type ReferralLink } from "../../domain/people/referral-link.ts";
import { v2FieldError } from "../../http/errors.ts";
import { createdSecond, field, recordId } from "../../http/fields.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
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
import { shapeInput } from "../../input/shape.ts";
import { shown } from "../../resource/answer.ts";
import { ids, listed } from "../../resource/list.ts";
import { readPathId } from "../../resource/listing.ts";
import { changes, lists } from "../../resource/operations.ts";
import { belongingTo } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import {
  embeddedCampaign,
  embeddedCampaignJson,
  embeddedPromoter,
  embeddedPromoterJson,
} from "../embedded-json.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { rewardEntries, rewardEntryAnswer, rewardEntryJson } from "../reward/reward-json.ts";

const belongings = belongingTo(promoterCampaigns, { promoter: [promoters, "promoter_id"] });

/** The records that V2 shows a promoter campaign with. */
type Parts = PromoterCampaignParts & { promoter: Promoter };

async function readParts(view: View, records: PromoterCampaign[]): Promise<(Parts | null)[]> {
  const [all, owners] = await Promise.all([promoterCampaignParts(view, records), belongings(view, records)]);
  return all.map((parts, at) => {
    const { promoter } = owners[at]!;
    return parts && promoter && { ...parts, promoter };
  });
}

/** @see docs/spec/v2.md "Promoter campaign" */
export const promoterCampaignAnswer = shown(promoterCampaigns, readParts)("PromoterCampaign", {
  id: recordId,
  // The promoter may have moved to another campaign meanwhile.
  campaign_id: [field(z.int(), "Id of the campaign.", 1), (_, { campaign }) => campaign.id],
  promoter_id: field(z.int(), "Id of the promoter.", 17),
  created_at: createdSecond,
  promoter: [
    field(embeddedPromoter, "The promoter, or null if they were deleted."),
    (_, { promoter }) => embeddedPromoterJson(promoter),
  ],
  campaign: [
    field(embeddedCampaign, "The campaign, or null if it was deleted."),
    (_, { campaign }) => embeddedCampaignJson(campaign),
  ],
  state: field(z.enum(PROMOTER_CAMPAIGN_STATES), "Whether the promoter may refer in this campaign."),
  stats: [
    field(
      z.object({
        clicks_count: field(z.int(), "How many visitors followed the link.", 340),
        referrals_count: field(z.int(), "How many people signed up.", 42),
        sales_count: field(z.int(), "How many sales were made.", 25),
        customers_count: field(z.int(), "How many of them became customers.", 12),
        revenue_amount: field(z.number(), "Sum of the sales, in cents.", 250000),
      }),
      "Figures of the record.",
    ),
    (_, { stats }) => ({
      clicks_count: stats.clicks,
      referrals_count: stats.referrals,
      sales_count: stats.sales,
      customers_count: stats.customers,
      revenue_amount: stats.sales_cents,
    }),
  ],
  coupon,
  display_coupon: field(z.string().nullable(), "The code that customers type at the checkout.", "JANE10"),
  ref_token: refToken,
  ref_link: [referralLink, (promoterCampaign, { campaign }) => refLink(promoterCampaign, campaign)],
  direct_url: [
    field(
      z.string().nullable(),
      "A page of the promoter's own that counts visits without a parameter, or null for none.",
      null,
    ),
    ({ landing_url, uses_url_tracking }) => (uses_url_tracking ? landing_url : null),
  ],
  is_customized: [
    field(z.boolean(), "Whether this promoter has their own rewards in a campaign."),
    hasOwnRewards,
  ],
  referral_rewards_customized: [
    field(z.boolean(), "Whether referred people get other rewards than the campaign's."),
    ({ rewards_for_referrals }) => rewards_for_referrals !== null,
  ],
  promoter_rewards_customized: [
    field(z.boolean(), "Whether the promoter earns other rewards than the campaign's."),
    ({ rewards_for_promoters }) => rewards_for_promoters !== null,
  ],
  rewards_for_promoters: [
    field(z.array(rewardEntryAnswer), "What promoters earn, and for which sales."),
    (_, { rewards_for_promoters }) => rewards_for_promoters.map(rewardEntryJson),
  ],
  rewards_for_referrals: [
    field(z.array(rewardEntryAnswer), "What people who follow the link get."),
    (_, { rewards_for_referrals }) => rewards_for_referrals.map(rewardEntryJson),
  ],
  promo_codes: [
    field(z.array(z.string()), "The promo codes in use.", ["JANE10"]),
    (_, { promoCodes }) => promoCodes.map(({ code }) => code),
  ],
});
const answers = promoterCampaignAnswer.schema.shape;

/** Whether a promoter has rewards of their own in a campaign. */
export function hasOwnRewards({ rewards_for_promoters, rewards_for_referrals }: PromoterCampaign): boolean {
  return rewards_for_promoters !== null || rewards_for_referrals !== null;
}

const state = oneOf(PROMOTER_CAMPAIGN_STATES);

/** @see docs/spec/v2.md "Promoter campaigns" */
const promoterCampaignList = listed(promoterCampaigns)({
  params: {
    q: [field(text.optional(), "Text to search for in names and e-mail addresses.", "jane"), mentions],
    ids,
  },
  filters: {
    campaign_id: field(listOf(id), "Ids of the campaigns.", [1]),
    promoter_id: field(id, "Id of the promoter.", 17),
    state: field(state, "Only records in this state. `not_set`: in no campaign."),
  },
});

/** @see docs/spec/v2.md "Promoter campaigns" */
const SEARCH_LENGTH = 5;

const searchParams = z.object({
  q: field(text, promoterCampaignList.params.shape["q"] as z.ZodType),
});

/** @see docs/spec/v2.md "Update a promoter campaign" */
const updateBody = z
  .object({
    state: field(state, "State of the record."),
    ref_token: field(
      text.trim().refine(isRefToken, "only lower-case letters, digits, - and _ are allowed"),
      answers.ref_token,
    ),
    coupon: field(text.trim().nullable(), answers.coupon),
    display_coupon: field(text.trim().nullable(), answers.display_coupon),
    direct_url: field(webAddress.nullable(), answers.direct_url),
    rewards_for_promoters: field(rewardEntries, answers.rewards_for_promoters),
    rewards_for_referrals: field(rewardEntries, "What people who follow the link get."),
    promoter_rewards_customized: field(flag, answers.promoter_rewards_customized),
    referral_rewards_customized: field(flag, answers.referral_rewards_customized),
  })
  .partial();

export const listPromoterCampaignsOperation: V2Operation = lists(promoterCampaignAnswer, {
  id: "listPromoterCampaigns",
  summary: "List promoter campaigns",
  description: "Lists promoter campaigns with their referral links, coupons and figures.",
  shape: v2FieldError,
  list: promoterCampaignList,
});

export const searchPromoterCampaignsOperation: V2Operation = {
  id: "searchPromoterCampaigns",
  summary: "Find promoter campaigns by a promoter's name or e-mail, a ref token or a coupon",
  description: "Finds up to five by a promoter's name or e-mail, a referral id or a coupon.",
  params: searchParams,
  answer: z.array(promoterCampaignAnswer.schema),
  refusals: ["invalid"],
  shape: v2FieldError,
  async handle({ event, account, context: { store } }) {
    const { q } = shapeInput(searchParams, readNestedQuery(event));
    const found = await searchPromoterCampaigns(store, account.id, { text: q, limit: SEARCH_LENGTH });
    return promoterCampaignAnswer.showAll(store, found);
  },
};

export const updatePromoterCampaignOperation: V2Operation = changes(promoterCampaignAnswer, {
  id: "updatePromoterCampaign",
  summary: "Update a promoter campaign",
  description:
    "Changes a promoter's part in a campaign: state, referral id, coupon, and own rewards. The id is that of the promoter campaign, not of the promoter.",
  example: { state: "accepted", coupon: "JANE10" },
  body: updateBody,
  refusals: ["not_found", "invalid", "taken", "rule_broken", "refused"],
  shape: recordError({}, v2FieldError),
  run(tx, { account, context }, { id, changes: given }) {
    const changes = {
      ...given,
      hasOwnPromoterRewards: given.promoter_rewards_customized,
      hasOwnReferralRewards: given.referral_rewards_customized,
    };
    return updatePromoterCampaign(tx, context, account.id, { id, changes });
  },
});

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
