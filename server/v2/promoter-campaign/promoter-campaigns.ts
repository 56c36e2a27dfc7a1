import { z } from "zod";
import {
  findPromoterCampaigns,
  searchPromoterCampaigns,
} from "../../domain/people/promoter-campaign/search.ts";
import {
  updatePromoterCampaign,
  type PromoterCampaignChanges,
} from "../../domain/people/promoter-campaign/changes.ts";
import { isRefToken } from "../../domain/people/promoter-campaign/ref-token.ts";
import { showAll } from "../../domain/show.ts";
import { v2FieldError } from "../../http/errors.ts";
import { flag, id, listOf, oneOf, text, webAddress } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { readNestedQuery } from "../../http/parameters/form.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { PROMOTER_CAMPAIGN_STATES } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { promoterCampaignAnswer, showPromoterCampaign } from "./promoter-campaign-json.ts";
import { recordError } from "../record-error.ts";
import { rewardEntries } from "../reward/reward-entry-json.ts";
import { field } from "../../http/fields.ts";

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

const WIRE_NAMES = {
  refToken: "ref_token",
  displayCoupon: "display_coupon",
  directUrl: "direct_url",
  rewardsForPromoters: "rewards_for_promoters",
  rewardsForReferrals: "rewards_for_referrals",
};

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
      campaignIds: params.filters?.campaign_id,
      promoterId: params.filters?.promoter_id,
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
    refToken: body.ref_token,
    coupon: body.coupon,
    displayCoupon: body.display_coupon,
    directUrl: body.direct_url,
    rewardsForPromoters: body.rewards_for_promoters,
    rewardsForReferrals: body.rewards_for_referrals,
    hasOwnPromoterRewards: body.promoter_rewards_customized,
    hasOwnReferralRewards: body.referral_rewards_customized,
  };
}
