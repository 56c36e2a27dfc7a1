import { z } from "zod";
import {
  archivePromoCode,
  createPromoCode,
  updatePromoCode,
} from "../../domain/people/promo-code/changes.ts";
import { findPromoCodes, loadPromoCode, type PromoCode } from "../../domain/people/promo-code/promo-code.ts";
import { loadReward } from "../../domain/program/reward/reward.ts";
import { showAll } from "../../domain/show.ts";
import { id, jsonObject, longText, text, ownData } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { View } from "../../storage/store.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { pageParams, readListing, readPathId } from "../../resource/listing.ts";
import { field, recordId } from "../../http/fields.ts";

/** @see docs/spec/v2.md "Promo code" */
export const promoCodeAnswer = z
  .object({
    id: recordId,
    code: field(z.string(), "The code that customers type at the checkout.", "JANE10"),
    reward: field(
      z.object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") }),
      "The reward.",
    ),
    ext_id: field(
      z.string().nullable(),
      "Id of the coupon at the payment processor, or null if it is not linked.",
      null,
    ),
    description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
    company_id: field(z.int(), "Id of the account.", 1),
    promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
    metadata: ownData,
    details: ownData,
    archived_at: field(z.iso.datetime().nullable(), "When the record was archived, or null if it is in use."),
  })
  .meta({ id: "PromoCode" });

const listParams = pageParams.extend({
  promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31),
  q: field(text.optional(), "Text to search for in the codes that are in use.", "jane"),
});

const createBody = z.object({
  code: field(text.trim(), promoCodeAnswer.shape.code),
  reward_id: field(id, "Id of the reward.", 3),
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  description: field(longText.optional(), promoCodeAnswer.shape.description),
  metadata: field(jsonObject.optional(), promoCodeAnswer.shape.metadata),
  details: field(jsonObject.optional(), ownData),
});

const updateBody = z
  .object({
    code: field(text.trim(), promoCodeAnswer.shape.code),
    description: field(longText.nullable(), promoCodeAnswer.shape.description),
    promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
    metadata: field(jsonObject.nullable(), promoCodeAnswer.shape.metadata),
    details: field(jsonObject.nullable(), ownData),
  })
  .partial();

const shape = recordError();

/** `GET /api/v2/company/promo_codes` */
export const listPromoCodesOperation: V2Operation = {
  id: "listPromoCodes",
  summary: "List promo codes",
  description: "Lists promo codes: all, those of one promoter campaign, or those that contain a text.",
  params: listParams,
  answer: z.array(promoCodeAnswer),
  isPaged: true,
  refusals: ["invalid"],
  handle: list,
};

/**
 * `POST /api/v2/company/promo_codes`. It answers 200; other creations answer 201.
 *
 * @see docs/spec/v2.md "Promo codes"
 */
export const createPromoCodeOperation: V2Operation = {
  id: "createPromoCode",
  summary: "Create a promo code",
  description:
    "Gives a promoter a code that customers type at the checkout, and the reward that it stands for.",
  body: createBody,
  answer: promoCodeAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: create,
};

/** `GET /api/v2/company/promo_codes/{id}` */
export const getPromoCodeOperation: V2Operation = {
  id: "getPromoCode",
  summary: "Get a promo code",
  description: "Finds one promo code.",
  answer: promoCodeAnswer,
  refusals: ["not_found"],
  handle: get,
};

/** `PUT` and `PATCH /api/v2/company/promo_codes/{id}` */
export const updatePromoCodeOperation: V2Operation = {
  id: "updatePromoCode",
  summary: "Update a promo code",
  description:
    "Changes a promo code. An archived one that is linked to the payment processor can't be changed.",
  example: { code: "JANE20", description: "Twenty percent off" },
  body: updateBody,
  answer: promoCodeAnswer,
  refusals: ["not_found", "invalid", "taken", "rule_broken", "refused"],
  shape,
  handle: update,
};

/** `DELETE /api/v2/company/promo_codes/{id}`. Answers with the archived promo code. */
export const archivePromoCodeOperation: V2Operation = {
  id: "archivePromoCode",
  summary: "Archive a promo code",
  description: "Archives a promo code. Its code can be given to another.",
  answer: promoCodeAnswer,
  refusals: ["not_found"],
  handle: archive,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  const filter = { promoter_campaign_id: params.promoter_campaign_id, text: params.q };
  const found = await findPromoCodes(context.store, account.id, { ...filter, ...window });
  setPageHeaders(request, page, found.total);
  return showAll(context.store, found.records, showPromoCode);
}

async function create({ event, account, context }: V2Request) {
  const body = shapeInput(createBody, await readJson(event));
  return createPromoCode(context, account.id, {
    code: body.code,
    reward_id: body.reward_id,
    promoter_campaign_id: body.promoter_campaign_id,
    description: body.description ?? null,
    metadata: body.metadata ?? null,
    details: body.details ?? null,
    show: showPromoCode,
  });
}

async function get({ event, account, context: { store } }: V2Request) {
  return showPromoCode(store, await loadPromoCode(store, account.id, readPathId(event)));
}

async function update({ event, account, context }: V2Request) {
  const id = readPathId(event);
  const body = shapeChanges(updateBody, await readJson(event));
  const changes = {
    code: body.code,
    promoter_campaign_id: body.promoter_campaign_id,
    description: body.description,
    metadata: body.metadata,
    details: body.details,
  };
  return updatePromoCode(context, account.id, { id, changes, show: showPromoCode });
}

async function archive({ event, account, context }: V2Request) {
  return archivePromoCode(context, account.id, { id: readPathId(event), show: showPromoCode });
}

/** Shows a promo code. @throws Failure `not_found` if its reward was deleted */
export async function showPromoCode(
  view: View,
  promoCode: PromoCode,
): Promise<z.output<typeof promoCodeAnswer>> {
  const reward = await loadReward(view, promoCode.account_id, promoCode.reward_id);
  return {
    id: promoCode.id,
    code: promoCode.code,
    reward: { id: reward.id, name: reward.name },
    ext_id: promoCode.ext_id,
    description: promoCode.description,
    company_id: promoCode.account_id,
    promoter_campaign_id: promoCode.promoter_campaign_id,
    metadata: promoCode.metadata ?? {},
    details: promoCode.details ?? {},
    archived_at: promoCode.archived_at,
  };
}
