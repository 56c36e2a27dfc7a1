import { z } from "zod";
import { findCampaigns, loadCampaign } from "../../domain/program/campaign/campaign.ts";
import { refuseUsedCampaign } from "../../domain/ledger/use.ts";
import { createFullCampaign, deleteCampaign, updateCampaign } from "../../domain/program/campaign/changes.ts";
import { showAll } from "../../domain/show.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import { changesOf, createBody, updateBody } from "./campaign-input.ts";
import { campaignAnswer, showCampaignOf } from "./campaign-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { recordError } from "../record-error.ts";

const shape = recordError({
  refParam: "ref_token_param",
  upgrade: "upgrade_details",
  rewardsForPromoters: "rewards_for_promoters",
  rewardsForReferrals: "rewards_for_referrals",
});

/** `GET /api/v2/company/campaigns` */
export const listCampaignsOperation: V2Operation = {
  id: "listCampaigns",
  summary: "List campaigns",
  description: "Lists campaigns with their settings and figures.",
  params: pageParams,
  answer: z.array(campaignAnswer),
  isPaged: true,
  handle: list,
};

/** `POST /api/v2/company/campaigns` */
export const createCampaignOperation: V2Operation = {
  id: "createCampaign",
  summary: "Create a campaign",
  description:
    "Adds a campaign. A campaign says where referral links lead, how long a visitor counts as referred, and what promoters earn.",
  body: createBody,
  answer: campaignAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "rule_broken"],
  shape,
  handle: create,
};

/** `GET /api/v2/company/campaigns/{id}` */
export const getCampaignOperation: V2Operation = {
  id: "getCampaign",
  summary: "Get a campaign",
  description: "Finds one campaign.",
  answer: campaignAnswer,
  refusals: ["not_found"],
  handle: get,
};

/** `PUT` and `PATCH /api/v2/company/campaigns/{id}` */
export const updateCampaignOperation: V2Operation = {
  id: "updateCampaign",
  summary: "Update a campaign",
  description: "Changes a campaign. What you leave out stays.",
  example: { visitor_cookie_life: 90, auto_approve_promoters: true },
  body: updateBody,
  answer: campaignAnswer,
  refusals: ["not_found", "invalid", "rule_broken"],
  shape,
  handle: update,
};

/** `DELETE /api/v2/company/campaigns/{id}` */
export const deleteCampaignOperation: V2Operation = {
  id: "deleteCampaign",
  summary: "Delete a campaign that nothing belongs to",
  description: "Removes a campaign that nothing belongs to. The default campaign stays.",
  answer: campaignAnswer,
  refusals: ["not_found", "in_use"],
  handle: remove,
};

async function list(request: V2Request) {
  const { account, context, publicUrl } = request;
  const { page, window } = readListing(request, pageParams);
  const { records, total } = await findCampaigns(context.store, account.id, window);
  setPageHeaders(request, page, total);
  return showAll(context.store, records, showCampaignOf(account, publicUrl));
}

async function create({ event, account, context, publicUrl }: V2Request) {
  const body = shapeInput(createBody, await readJson(event));
  return createFullCampaign(context, account.id, {
    ...changesOf(body),
    name: body.name,
    landingUrl: body.landing_url,
    show: showCampaignOf(account, publicUrl),
  });
}

async function get({ event, account, context: { store }, publicUrl }: V2Request) {
  const campaign = await loadCampaign(store, account.id, readPathId(event));
  return showCampaignOf(account, publicUrl)(store, campaign);
}

async function update({ event, account, context, publicUrl }: V2Request) {
  const id = readPathId(event);
  const changes = changesOf(shapeChanges(updateBody, await readJson(event)));
  return updateCampaign(context, account.id, { id, changes, show: showCampaignOf(account, publicUrl) });
}

async function remove({ event, account, context, publicUrl }: V2Request) {
  return deleteCampaign(context, account.id, {
    id: readPathId(event),
    refuseUsed: refuseUsedCampaign,
    show: showCampaignOf(account, publicUrl),
  });
}
