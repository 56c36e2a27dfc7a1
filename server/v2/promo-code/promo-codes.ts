import { z } from "zod";
import { archivePromoCode, createPromoCode, updatePromoCode } from "../../domain/promo-code/changes.ts";
import { findPromoCodes, loadPromoCode, type PromoCode } from "../../domain/promo-code/promo-code.ts";
import { loadReward } from "../../domain/reward/reward.ts";
import { showAll } from "../../domain/show.ts";
import { id, jsonObject, longText, text } from "../../input/fields.ts";
import { readJson } from "../../http/parameters/json.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { shapeChanges, shapeInput } from "../../input/shape.ts";
import type { View } from "../../storage/store.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { pageParams, readListing } from "../page-params.ts";
import { readPathId } from "../path-id.ts";
import { recordError } from "../record-error.ts";

/** @see docs/spec/v2.md "Promo code" */
export const promoCodeAnswer = z
  .object({
    id: z.int(),
    code: z.string(),
    reward: z.object({ id: z.int(), name: z.string() }),
    ext_id: z.string().nullable(),
    description: z.string().nullable(),
    company_id: z.int(),
    promoter_campaign_id: z.int(),
    metadata: z.record(z.string(), z.unknown()),
    details: z.record(z.string(), z.unknown()),
    archived_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "PromoCode" });

const listParams = pageParams.extend({ promoter_campaign_id: id.optional() });

const createBody = z.object({
  code: text.trim(),
  reward_id: id,
  promoter_campaign_id: id,
  description: longText.optional(),
  metadata: jsonObject.optional(),
  details: jsonObject.optional(),
});

const updateBody = z
  .object({
    code: text.trim(),
    description: longText.nullable(),
    promoter_campaign_id: id,
    metadata: jsonObject.nullable(),
    details: jsonObject.nullable(),
  })
  .partial();

const shape = recordError({ archivedAt: "archived_at" });

/** `GET /api/v2/company/promo_codes` */
export const listPromoCodesOperation: V2Operation = {
  summary: "List promo codes",
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
  summary: "Create a promo code",
  body: createBody,
  answer: promoCodeAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  handle: create,
};

/** `GET /api/v2/company/promo_codes/{id}` */
export const getPromoCodeOperation: V2Operation = {
  summary: "Get a promo code",
  answer: promoCodeAnswer,
  refusals: ["not_found"],
  handle: get,
};

/** `PUT` and `PATCH /api/v2/company/promo_codes/{id}` */
export const updatePromoCodeOperation: V2Operation = {
  summary: "Update a promo code",
  body: updateBody,
  answer: promoCodeAnswer,
  refusals: ["not_found", "invalid", "taken", "rule_broken", "refused"],
  shape,
  handle: update,
};

/** `DELETE /api/v2/company/promo_codes/{id}`. Choice: answers with the archived promo code. */
export const archivePromoCodeOperation: V2Operation = {
  summary: "Archive a promo code",
  answer: promoCodeAnswer,
  refusals: ["not_found"],
  handle: archive,
};

async function list(request: V2Request) {
  const { account, context } = request;
  const { params, page, window } = readListing(request, listParams);
  const { promoter_campaign_id: promoterCampaignId = null } = params;
  const found = await findPromoCodes(context.store, account.id, { promoterCampaignId, ...window });
  setPageHeaders(request, page, found.total);
  return showAll(context.store, found.records, showPromoCode);
}

async function create({ event, account, context }: V2Request) {
  const body = shapeInput(createBody, await readJson(event));
  return createPromoCode(context, account.id, {
    code: body.code,
    rewardId: body.reward_id,
    promoterCampaignId: body.promoter_campaign_id,
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
    promoterCampaignId: body.promoter_campaign_id,
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
  const reward = await loadReward(view, promoCode.accountId, promoCode.rewardId);
  return {
    id: promoCode.id,
    code: promoCode.code,
    reward: { id: reward.id, name: reward.name },
    ext_id: promoCode.extId,
    description: promoCode.description,
    company_id: promoCode.accountId,
    promoter_campaign_id: promoCode.promoterCampaignId,
    metadata: promoCode.metadata ?? {},
    details: promoCode.details ?? {},
    archived_at: promoCode.archivedAt,
  };
}
