import { z } from "zod";
import type { Context } from "../../domain/context.ts";
import { keepPassword } from "../../domain/password/password.ts";
import { updatePromoter, type PromoterChanges } from "../../domain/promoter/changes.ts";
import { isRefToken } from "../../domain/promoter-campaign/ref-token.ts";
import { Failure } from "../../failure.ts";
import type { AnswerHeaders } from "../../http/answer.ts";
import { v1Error } from "../../http/errors.ts";
import { email, flag, id, longText, text, webAddress } from "../../input/fields.ts";
import { readParams } from "../../http/parameters/form.ts";
import { shapeFormChanges } from "../../input/shape.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { profileChanges, wireFields } from "./promoter-fields.ts";
import { promoterAnswer } from "./promoter-json.ts";
import { showPromoter } from "./promoter-parts.ts";
import { readSelection, selectorParams, type NamedSelection } from "./promoter-selection.ts";

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

/** Puts field errors under the names that the client sent. @see docs/spec/common.md "Errors", 2 */
function updateError(failure: Failure, headers: AnswerHeaders): Response {
  const fields = wireFields(failure.fields, { custId: "new_cust_id", refToken: "new_ref_id" });
  return v1Error(new Failure(failure.kind, failure.message, fields), headers);
}
