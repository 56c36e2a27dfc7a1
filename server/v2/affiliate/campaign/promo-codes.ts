import { z } from "zod";
import { sql } from "kysely";
import { archiveOwnCode, createOwnCode, updateOwnCode } from "../../../domain/people/promo-code/changes.ts";
import { IN_USE, ofPromoter, promoCodes } from "../../../domain/people/promo-code/promo-code.ts";
import { promoterCampaigns } from "../../../domain/people/promoter-campaign/promoter-campaign.ts";
import { rewards } from "../../../domain/program/reward/reward.ts";
import { field, recordId } from "../../../http/fields.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, text, word } from "../../../input/fields.ts";
import { shown } from "../../../resource/answer.ts";
import { listed } from "../../../resource/list.ts";
import { readListing, readPathId } from "../../../resource/listing.ts";
import { changes, makes } from "../../../resource/operations.ts";
import { belongingTo } from "../../../storage/query.ts";
import { recordError } from "../../operation.ts";
import type { AffiliateOperation } from "../operation.ts";

const belongings = belongingTo(promoCodes, {
  reward: [rewards, "reward_id"],
  promoterCampaign: [promoterCampaigns, "promoter_campaign_id"],
});

/** A promo code as its promoter sees it. */
export const ownPromoCodeAnswer = shown(promoCodes, belongings)("PortalPromoCode", {
  id: recordId,
  code: field(z.string(), "The code that customers type at the checkout.", "JANE10"),
  description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
  reward: [
    field(
      z.object({ name: field(z.string(), "Name of the reward.", "20% of each sale") }).nullable(),
      "The reward.",
    ),
    (_, { reward }) => reward && { name: reward.name },
  ],
  promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
  is_own: [
    field(z.boolean(), "Whether the promoter made the code, and can change it."),
    ({ made_by_promoter_id: maker }, { promoterCampaign }) =>
      maker !== undefined && maker === promoterCampaign?.promoter_id,
  ],
});

const CODE_LENGTH = 40;
/** Only characters that every keyboard has, because people type codes at a checkout. */
const code = field(
  word(CODE_LENGTH).regex(/^[A-Za-z0-9_-]{3,}$/, "must have at least 3 letters, digits, - or _"),
  ownPromoCodeAnswer.schema.shape.code,
);
const createBody = z.object({
  code,
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  reward_id: field(id.optional(), "What the code gives. Default: the campaign's first reward.", 3),
  description: field(text.optional(), ownPromoCodeAnswer.schema.shape.description),
});
const updateBody = z
  .object({ code, description: field(text.nullable(), ownPromoCodeAnswer.schema.shape.description) })
  .partial();

const shape = recordError();

const ownCodes = listed(promoCodes, { only: IN_USE })();

export const listOwnPromoCodesOperation: AffiliateOperation = {
  id: "listOwnPromoCodes",
  summary: "List the promoter's promo codes in use",
  description: "Lists the codes that the promoter's audience can type at the checkout.",
  params: ownCodes.params,
  answer: z.array(ownPromoCodeAnswer.schema),
  isPaged: true,
  async handle(request) {
    const { account, promoter, context } = request;
    const { page, window } = readListing(request, ownCodes.params);
    const { records, total } = await ownCodes.find(context.store, account.id, {
      where: [ofPromoter(account.id, promoter.id)],
      orders: [{ by: sql.ref("promo_codes.promoter_campaign_id"), isDescending: false }],
      ...window,
    });
    setPageHeaders(request, page, total);
    return ownPromoCodeAnswer.showAll(context.store, records);
  },
};

export const createOwnPromoCodeOperation: AffiliateOperation = makes(ownPromoCodeAnswer, {
  id: "createOwnPromoCode",
  summary: "Make a promo code",
  description:
    "Makes a promo code, if the campaign lets promoters do that. It gives one of the campaign's rewards for customers.",
  example: { promoter_campaign_id: 31, code: "JANE10" },
  body: createBody,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  run: (tx, { account, promoter, context }, { reward_id = null, description = null, ...body }) =>
    createOwnCode(tx, context, {
      ...body,
      account_id: account.id,
      promoter_id: promoter.id,
      reward_id,
      description,
    }),
});

export const updateOwnPromoCodeOperation: AffiliateOperation = changes(ownPromoCodeAnswer, {
  id: "updateOwnPromoCode",
  summary: "Change a promo code that the promoter made",
  description: "Changes a promo code that the promoter made. What you leave out stays.",
  example: { code: "JANE15" },
  body: updateBody,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  run: (tx, { account, promoter, context }, given) =>
    updateOwnCode(tx, context, { account_id: account.id, promoter_id: promoter.id, ...given }),
});

export const archiveOwnPromoCodeOperation: AffiliateOperation = {
  id: "archiveOwnPromoCode",
  summary: "Archive a promo code that the promoter made",
  description: "Archives a promo code that the promoter made. Codes of the company stay.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "refused"],
  async handle({ event, account, promoter, context }) {
    const wanted = { account_id: account.id, promoter_id: promoter.id, id: readPathId(event) };
    await context.store.transact((tx) => archiveOwnCode(tx, context, wanted));
    return null;
  },
};
