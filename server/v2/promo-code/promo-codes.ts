import { z } from "zod";
import {
  archivePromoCode,
  createPromoCode,
  updatePromoCode,
} from "../../domain/people/promo-code/changes.ts";
import { loadPromoCode, promoCodes } from "../../domain/people/promo-code/promo-code.ts";
import { rewards } from "../../domain/program/reward/reward.ts";
import { field, recordId } from "../../http/fields.ts";
import { id, jsonObject, longText, text, ownData } from "../../input/fields.ts";
import { shown } from "../../resource/answer.ts";
import { listed } from "../../resource/list.ts";
import { changes, does, lists, makes, reads } from "../../resource/operations.ts";
import { belongingTo, contains } from "../../storage/query.ts";
import { recordError, type V2Operation } from "../operation.ts";

const belongings = belongingTo(promoCodes, { reward: [rewards, "reward_id"] });

/** @see docs/spec/v2.md "Promo code" */
export const promoCodeAnswer = shown(promoCodes, belongings)("PromoCode", {
  id: recordId,
  code: field(z.string(), "The code that customers type at the checkout.", "JANE10"),
  reward: [
    field(
      z.object({ id: recordId, name: field(z.string(), "Name of the reward.", "20% of each sale") }),
      "The reward.",
    ),
    ({ reward_id }, { reward }) => ({ id: reward_id, name: reward?.name ?? "" }),
  ],
  ext_id: field(
    z.string().nullable(),
    "Id of the coupon at the payment processor, or null if it is not linked.",
    null,
  ),
  description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
  company_id: [field(z.int(), "Id of the account.", 1), ({ account_id }) => account_id],
  promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
  metadata: [ownData, ({ metadata }) => metadata ?? {}],
  details: [ownData, ({ details }) => details ?? {}],
  archived_at: field(z.iso.datetime().nullable(), "When the record was archived, or null if it is in use."),
});
const answers = promoCodeAnswer.schema.shape;

const promoCodeList = listed(promoCodes)({
  params: {
    promoter_campaign_id: field(id.optional(), "Id of the promoter campaign.", 31),
    q: [
      field(text.optional(), "Text to search for in the codes that are in use.", "jane"),
      (wanted) => contains("promo_codes.claimed_code", wanted.trim()),
    ],
  },
});

const createBody = z.object({
  code: field(text.trim(), answers.code),
  reward_id: field(id, "Id of the reward.", 3),
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  description: field(longText.optional(), answers.description),
  metadata: field(jsonObject.optional(), answers.metadata),
  details: field(jsonObject.optional(), ownData),
});

const updateBody = z
  .object({
    code: field(text.trim(), answers.code),
    description: field(longText.nullable(), answers.description),
    promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
    metadata: field(jsonObject.nullable(), answers.metadata),
    details: field(jsonObject.nullable(), ownData),
  })
  .partial();

const shape = recordError();

export const listPromoCodesOperation: V2Operation = lists(promoCodeAnswer, {
  id: "listPromoCodes",
  summary: "List promo codes",
  description: "Lists promo codes: all, those of one promoter campaign, or those that contain a text.",
  list: promoCodeList,
});

/**
 * `POST /api/v2/company/promo_codes`. It answers 200; other creations answer 201.
 *
 * @see docs/spec/v2.md "Promo codes"
 */
export const createPromoCodeOperation: V2Operation = makes(promoCodeAnswer, {
  id: "createPromoCode",
  summary: "Create a promo code",
  description:
    "Gives a promoter a code that customers type at the checkout, and the reward that it stands for.",
  status: 200,
  body: createBody,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  run: (tx, { account, context }, { description = null, metadata = null, details = null, ...body }) =>
    createPromoCode(tx, context, account.id, { ...body, description, metadata, details }),
});

export const getPromoCodeOperation: V2Operation = reads(promoCodeAnswer, {
  id: "getPromoCode",
  summary: "Get a promo code",
  description: "Finds one promo code.",
  load: loadPromoCode,
});

export const updatePromoCodeOperation: V2Operation = changes(promoCodeAnswer, {
  id: "updatePromoCode",
  summary: "Update a promo code",
  description:
    "Changes a promo code. An archived one that is linked to the payment processor can't be changed.",
  example: { code: "JANE20", description: "Twenty percent off" },
  body: updateBody,
  refusals: ["not_found", "invalid", "taken", "rule_broken", "refused"],
  shape,
  run: (tx, { account, context }, given) => updatePromoCode(tx, context, account.id, given),
});

/** Answers with the archived promo code. */
export const archivePromoCodeOperation: V2Operation = does(promoCodeAnswer, {
  id: "archivePromoCode",
  summary: "Archive a promo code",
  description: "Archives a promo code. Its code can be given to another.",
  run: (tx, { account, context }, promoCodeId) => archivePromoCode(tx, context, account.id, promoCodeId),
});
