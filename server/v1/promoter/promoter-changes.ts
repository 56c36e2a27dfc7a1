import { z } from "zod";
import type { Context } from "../../domain/context.ts";
import { keepPassword } from "../../domain/password/password.ts";
import { addToCampaign, moveToCampaign } from "../../domain/promoter-campaign/changes.ts";
import { isRefToken } from "../../domain/promoter-campaign/ref-token.ts";
import {
  deletePromoter,
  refreshAuthToken,
  updatePromoter,
  type PromoterChanges,
} from "../../domain/promoter/changes.ts";
import { Failure } from "../../failure.ts";
import type { AnswerHeaders } from "../../http/answer.ts";
import { v1Error } from "../../http/errors.ts";
import { readParams } from "../../http/parameters/form.ts";
import { email, flag, id, longText, text, webAddress } from "../../input/fields.ts";
import { shapeFormChanges, shapeInput } from "../../input/shape.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import {
  profileChanges,
  readSelection,
  requireParams,
  selectorParams,
  wireFields,
  type NamedSelection,
} from "./promoter-input.ts";
import { promoterAnswer } from "./promoter-json.ts";
import { showPromoter } from "./promoter-parts.ts";

const clearable = text.nullable();

/** Fields that are not given stay; blank text clears. */
const updateParams = z
  .object({
    email,
    new_cust_id: clearable,
    new_ref_id: z
      .string("is invalid")
      .trim()
      .refine(isRefToken, "only lower-case letters, digits, - and _ are allowed"),
    promo_code: clearable,
    customer_promo_code: clearable,
    campaign_id: id,
    temp_password: text,
    landing_url: webAddress.nullable(),
    url_tracking: flag,
    parent_promoter_email: clearable,
    note: longText.nullable(),
    first_name: clearable,
    last_name: clearable,
    website: clearable,
    company_name: clearable,
    phone_number: clearable,
    address: clearable,
    vat_id: clearable,
    country: clearable,
    wallet_email: email.nullable(),
    paypal_email: email.nullable(),
    avatar_url: clearable,
    description: longText.nullable(),
    twitter_url: clearable,
    youtube_url: clearable,
    facebook_url: clearable,
    linkedin_url: clearable,
    instagram_url: clearable,
  })
  .partial();

/** `PUT` and `POST /api/v1/promoters/update`. Some clients use POST. */
export const updatePromoterOperation: V1Operation = {
  summary: "Update a promoter",
  params: selectorParams.extend(updateParams.shape),
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "taken", "refused", "busy"],
  shape: updateError,
  handle: update,
};

/** `DELETE /api/v1/promoters/delete` */
export const deletePromoterOperation: V1Operation = {
  summary: "Remove a promoter who has earned nothing",
  params: selectorParams,
  answer: z.object({ message: z.string() }),
  refusals: ["missing", "not_found", "refused"],
  handle: remove,
};

/** `PUT` and `POST /api/v1/promoters/refresh_token` */
export const refreshTokenOperation: V1Operation = {
  summary: "Give a promoter a new auth token",
  params: selectorParams,
  answer: z.object({ auth_token: z.string() }),
  refusals: ["missing", "not_found", "refused"],
  handle: refresh,
};

const addParams = selectorParams.extend({ campaign_id: id });

/** `POST /api/v1/promoters/add_to_campaign` */
export const addToCampaignOperation: V1Operation = {
  summary: "Add a promoter to one more campaign",
  params: addParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  handle: add,
};

/** The source is the campaign of the default promoterCampaign unless the request names one. */
const moveParams = selectorParams.extend({
  destination_campaign_id: id,
  source_campaign_id: id.optional(),
});

/** `POST /api/v1/promoters/move_to_campaign` */
export const moveToCampaignOperation: V1Operation = {
  summary: "Move a promoter from one campaign to another",
  params: moveParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  handle: move,
};

/** Puts field errors under the names that the client sent. @see docs/spec/common.md "Errors", 2 */
function updateError(failure: Failure, headers: AnswerHeaders): Response {
  const fields = wireFields(failure.fields, { custId: "new_cust_id", refToken: "new_ref_id" });
  return v1Error(new Failure(failure.kind, failure.message, fields), headers);
}

async function update({ event, account, context }: V1Request) {
  const params = await readParams(event);
  const selection = readSelection(params);
  const changes = await promoterChanges(context, params, selection);
  return updatePromoter(context, account.id, { selection, changes, show: showPromoter });
}

/**
 * Choice: `email` and `promo_code` find the promoter if no other selector is given. Otherwise they are new
 * values.
 */
async function promoterChanges(
  context: Context,
  { ...params }: Record<string, unknown>,
  { param }: NamedSelection,
): Promise<PromoterChanges> {
  if (param === "email" || param === "promo_code") delete params[param];
  const given = shapeFormChanges(updateParams, params);
  const { temp_password: chosen } = given;
  return {
    email: given.email,
    custId: given.new_cust_id,
    note: given.note,
    tempPasswordHash: chosen === undefined ? undefined : (await keepPassword(context, chosen)).hash,
    parentPromoterEmail: given.parent_promoter_email,
    profile: profileChanges(given),
    campaignId: given.campaign_id,
    promoterCampaign: {
      refToken: given.new_ref_id,
      coupon: given.promo_code,
      displayCoupon: given.customer_promo_code,
      landingUrl: given.landing_url,
      usesUrlTracking: given.url_tracking,
    },
  };
}

async function remove({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  await deletePromoter(context, account.id, selection);
  return { message: "Promoter removed." };
}

async function refresh({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  return { auth_token: (await refreshAuthToken(context, account.id, selection)).authToken };
}

async function add({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const selection = readSelection(given);
  requireParams(given, ["campaign_id"]);
  const { campaign_id: campaignId } = shapeInput(addParams, given);
  return addToCampaign(context, account.id, { selection, campaignId, show: showPromoter });
}

async function move({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const selection = readSelection(given);
  requireParams(given, ["destination_campaign_id"]);
  const params = shapeInput(moveParams, given);
  return moveToCampaign(context, account.id, {
    selection,
    fromCampaignId: params.source_campaign_id ?? null,
    toCampaignId: params.destination_campaign_id,
    movesLeads: false,
    show: showPromoter,
  });
}
