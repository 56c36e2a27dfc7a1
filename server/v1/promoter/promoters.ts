import { z } from "zod";
import { loadCampaign } from "../../domain/campaign/campaign.ts";
import { generatePassword, keepPassword } from "../../domain/password/password.ts";
import { isRefToken, REF_TOKEN_LENGTH } from "../../domain/promoter-campaign/ref-token.ts";
import { createPromoter, type CreatedPromoter, type NewPromoter } from "../../domain/promoter/creation.ts";
import { newProfile } from "../../domain/promoter/promoter.ts";
import { findPromoters, loadSelected } from "../../domain/promoter/search.ts";
import { showAll } from "../../domain/show.ts";
import type { Failure } from "../../failure.ts";
import { json, type AnswerHeaders } from "../../http/answer.ts";
import { v1Error } from "../../http/errors.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readParams } from "../../http/parameters/form.ts";
import { email, flag, id, instant, longText, text, webAddress, word } from "../../input/fields.ts";
import { describe, shapeInput } from "../../input/shape.ts";
import type { View } from "../../storage/store.ts";
import { listParams, readListPage } from "../list.ts";
import type { V1Operation, V1Request } from "../operation.ts";
import { profileChanges, readSelection, selectorParams, wireFields } from "./promoter-input.ts";
import { promoterAnswer } from "./promoter-json.ts";
import { showPromoter as showOne, showPromoter } from "./promoter-parts.ts";

const filterParams = z.object({ campaign_id: id }).partial();

const USUAL_PER_PAGE = 50;

/** `GET /api/v1/promoters/list` */
export const listPromotersOperation: V1Operation = {
  summary: "List promoters; with a campaign, only those accepted in it",
  params: listParams(filterParams, USUAL_PER_PAGE),
  answer: z.array(promoterAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  handle: list,
};

/** `GET` and `POST /api/v1/promoters/show` */
export const showPromoterOperation: V1Operation = {
  summary: "Show a promoter",
  params: selectorParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found"],
  handle: show,
};

/** @see docs/spec/v1.md "Create a promoter" */
const createParams = z
  .object({
    first_name: text,
    last_name: text,
    cust_id: text,
    ref_id: word(REF_TOKEN_LENGTH).refine(isRefToken, "only lower-case letters, digits, - and _ are allowed"),
    promo_code: text,
    customer_promo_code: text,
    campaign_id: id,
    temp_password: text,
    landing_url: webAddress,
    url_tracking: flag,
    website: text,
    wallet_email: email,
    paypal_email: email,
    avatar_url: text,
    parent_promoter_id: id,
    parent_promoter_email: text,
    linkedin_url: text,
    twitter_url: text,
    facebook_url: text,
    instagram_url: text,
    youtube_url: text,
    country: text,
    company_name: text,
    phone_number: text,
    address: text,
    note: longText,
    created_at: instant,
    skip_email_notification: flag,
    always_approve: flag,
  })
  .partial()
  .extend({ email });

/** `POST /api/v1/promoters/create` */
export const createPromoterOperation: V1Operation = {
  summary: "Create a promoter",
  params: createParams,
  answer: promoterAnswer,
  refusals: ["not_found", "invalid", "taken", "busy"],
  shape: createPromoterError,
  handle: create,
};

async function list(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const { campaign_id: campaignId } = shapeInput(filterParams, params);
  const page = readListPage(params, USUAL_PER_PAGE);
  if (campaignId !== undefined) await loadCampaign(context.store, account.id, campaignId);
  const filter = campaignId === undefined ? {} : { campaignIds: [campaignId], state: "accepted" as const };
  const { records, total } = await findPromoters(context.store, account.id, { filter, ...page });
  setPageHeaders(request, page, total);
  return showAll(context.store, records, showOne);
}

async function show({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  const { promoter } = await loadSelected(context.store, account.id, selection);
  return showOne(context.store, promoter);
}

const OWN_NAMES = { email: "company_user.user.email" };

const PROMOTION_FIELDS = ["ref_id", "promo_code", "customer_promo_code", "landing_url"];

/**
 * 422 with the dotted e-mail key and the other faults beside it. `promotions` repeats those of the
 * promoterCampaign; it is empty if there are none.
 */
function createPromoterError(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind !== "invalid" && failure.kind !== "taken") return v1Error(failure, headers);
  const fields = wireFields(failure.fields, OWN_NAMES);
  const promotions = PROMOTION_FIELDS.filter((name) => fields[name]).map((name) => ({
    [name]: fields[name],
  }));
  return json({ ...fields, message: describe(fields), promotions }, headers, 422);
}

async function create({ event, account, context, address }: V1Request) {
  const params = shapeInput(createParams, await readParams(event));
  const { temp_password: chosen } = params;
  const password = await (chosen === undefined
    ? generatePassword(context.chance)
    : keepPassword(context, chosen));
  const show = async (view: View, { promoter }: CreatedPromoter) => ({
    ...(await showPromoter(view, promoter)),
    temp_password: password.text,
  });
  const input = { ...newPromoter(params), tempPasswordHash: password.hash, address, show };
  return createPromoter(context, account, input);
}

function newPromoter(
  params: z.output<typeof createParams>,
): Omit<NewPromoter, "address" | "tempPasswordHash"> {
  return {
    email: params.email,
    custId: params.cust_id ?? null,
    refToken: params.ref_id ?? null,
    coupon: params.promo_code ?? null,
    displayCoupon: params.customer_promo_code ?? null,
    campaignId: params.campaign_id ?? null,
    landingUrl: params.landing_url ?? null,
    usesUrlTracking: params.url_tracking ?? false,
    parentPromoterId: params.parent_promoter_id ?? null,
    parentPromoterEmail: params.parent_promoter_email ?? null,
    note: params.note ?? null,
    profile: newProfile(profileChanges(params)),
    createdAt: params.created_at ?? null,
    skipEmailNotification: params.skip_email_notification ?? false,
    alwaysApprove: params.always_approve ?? false,
  };
}
