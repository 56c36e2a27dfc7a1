import { z } from "zod";
import { archiveOwnCode, createOwnCode, updateOwnCode } from "../../../domain/people/promo-code/changes.ts";
import { promoCodes, type PromoCode } from "../../../domain/people/promo-code/promo-code.ts";
import { listPromoterCampaigns } from "../../../domain/people/promoter-campaign/search.ts";
import type { PromoterCampaign } from "../../../domain/people/promoter-campaign/promoter-campaign.ts";
import { rewards } from "../../../domain/program/reward/reward.ts";
import { showAll, type Show } from "../../../domain/show.ts";
import { readJson } from "../../../http/parameters/json.ts";
import { setPageHeaders } from "../../../http/pages.ts";
import { id, text, word } from "../../../input/fields.ts";
import { shapeChanges, shapeInput } from "../../../input/shape.ts";
import type { View } from "../../../storage/store.ts";
import { pageParams, readListing, readPathId } from "../../../resource/listing.ts";
import { recordError } from "../../operation.ts";
import type { AffiliateOperation, AffiliateRequest } from "../operation.ts";
import { field, recordId } from "../../../http/fields.ts";

/** A promoter campaign has at most this many codes in use. */
const MOST_CODES = 1_000;

/** A promo code as its promoter sees it. */
export const ownPromoCodeAnswer = z
  .object({
    id: recordId,
    code: field(z.string(), "The code that customers type at the checkout.", "JANE10"),
    description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
    reward: field(
      z.object({ name: field(z.string(), "Name of the reward.", "20% of each sale") }).nullable(),
      "The reward.",
    ),
    promoter_campaign_id: field(z.int(), "Id of the promoter campaign.", 31),
    is_own: field(z.boolean(), "Whether the promoter made the code, and can change it."),
  })
  .meta({ id: "PortalPromoCode" });

const CODE_LENGTH = 40;
/** Only characters that every keyboard has, because people type codes at a checkout. */
const code = field(
  word(CODE_LENGTH).regex(/^[A-Za-z0-9_-]{3,}$/, "must have at least 3 letters, digits, - or _"),
  ownPromoCodeAnswer.shape.code,
);
const createBody = z.object({
  code,
  promoter_campaign_id: field(id, "Id of the promoter campaign.", 31),
  reward_id: field(id.optional(), "What the code gives. Default: the campaign's first reward.", 3),
  description: field(text.optional(), ownPromoCodeAnswer.shape.description),
});
const updateBody = z
  .object({ code, description: field(text.nullable(), ownPromoCodeAnswer.shape.description) })
  .partial();

const shape = recordError();

/** `GET /api/v2/affiliate/promo_codes` */
export const listOwnPromoCodesOperation: AffiliateOperation = {
  id: "listOwnPromoCodes",
  summary: "List the promoter's promo codes in use",
  description: "Lists the codes that the promoter's audience can type at the checkout.",
  params: pageParams,
  answer: z.array(ownPromoCodeAnswer),
  isPaged: true,
  handle: list,
};

/** `POST /api/v2/affiliate/promo_codes` */
export const createOwnPromoCodeOperation: AffiliateOperation = {
  id: "createOwnPromoCode",
  summary: "Make a promo code",
  description:
    "Makes a promo code, if the campaign lets promoters do that. It gives one of the campaign's rewards for customers.",
  example: { promoter_campaign_id: 31, code: "JANE10" },
  body: createBody,
  answer: ownPromoCodeAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  async handle({ event, promoter, context }) {
    const body = shapeInput(createBody, await readJson(event));
    return createOwnCode(context, {
      account_id: promoter.account_id,
      promoter_id: promoter.id,
      promoter_campaign_id: body.promoter_campaign_id,
      code: body.code,
      reward_id: body.reward_id ?? null,
      description: body.description ?? null,
      show: showTo(promoter.id),
    });
  },
};

/** `PUT /api/v2/affiliate/promo_codes/{id}` */
export const updateOwnPromoCodeOperation: AffiliateOperation = {
  id: "updateOwnPromoCode",
  summary: "Change a promo code that the promoter made",
  description: "Changes a promo code that the promoter made. What you leave out stays.",
  example: { code: "JANE15" },
  body: updateBody,
  answer: ownPromoCodeAnswer,
  refusals: ["not_found", "invalid", "taken", "refused"],
  shape,
  async handle(request) {
    const body = shapeChanges(updateBody, await readJson(request.event));
    const changes = { code: body.code, description: body.description };
    const show = showTo(request.promoter.id);
    return updateOwnCode(request.context, wantedCode(request), { ...changes, show });
  },
};

/** `DELETE /api/v2/affiliate/promo_codes/{id}` */
export const archiveOwnPromoCodeOperation: AffiliateOperation = {
  id: "archiveOwnPromoCode",
  summary: "Archive a promo code that the promoter made",
  description: "Archives a promo code that the promoter made. Codes of the company stay.",
  answer: z.null(),
  status: 204,
  refusals: ["not_found", "refused"],
  async handle(request) {
    await archiveOwnCode(request.context, wantedCode(request));
    return null;
  },
};

function wantedCode({ event, promoter }: AffiliateRequest) {
  return { account_id: promoter.account_id, promoter_id: promoter.id, id: readPathId(event) };
}

async function list(request: AffiliateRequest) {
  const { promoter, context } = request;
  const { store } = context;
  const { account_id, id } = promoter;
  const { page, window } = readListing(request, pageParams);
  const codes = [];
  for (const joined of await listPromoterCampaigns(store, account_id, id)) {
    codes.push(...(await codesInUse(store, joined)));
  }
  setPageHeaders(request, page, codes.length);
  const shown = codes.slice(window.offset, window.offset + window.limit);
  return Promise.all(shown.map((each) => showTo(id)(store, each)));
}

/** The promo codes in use of one of the promoter's campaigns. */
export async function listOwnPromoCodes(
  view: View,
  joined: PromoterCampaign,
): Promise<z.output<typeof ownPromoCodeAnswer>[]> {
  return showAll(view, await codesInUse(view, joined), showTo(joined.promoter_id));
}

function codesInUse(view: View, { account_id, id }: PromoterCampaign): Promise<PromoCode[]> {
  return view.page(promoCodes, "in_use", account_id, [id], { limit: MOST_CODES });
}

function showTo(promoterId: number): Show<PromoCode, z.output<typeof ownPromoCodeAnswer>> {
  return async (view, promoCode) => {
    const reward = await view.get(rewards, promoCode.account_id, promoCode.reward_id);
    return {
      id: promoCode.id,
      code: promoCode.code,
      description: promoCode.description,
      reward: reward && { name: reward.name },
      promoter_campaign_id: promoCode.promoter_campaign_id,
      is_own: promoCode.made_by_promoter_id === promoterId,
    };
  };
}
