import { z } from "zod";
import { campaigns } from "../domain/program/campaign/campaign.ts";
import { generatePassword, keepPassword } from "../domain/access/password.ts";
import { isRefToken, REF_TOKEN_LENGTH } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { createPromoter, type NewPromoter } from "../domain/people/promoter/creation.ts";
import { newProfile } from "../domain/people/promoter/promoter.ts";
import { findPromoters, loadSelected } from "../domain/people/promoter/search.ts";
import { Failure } from "../failure.ts";
import { json, type AnswerHeaders } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { setPageHeaders } from "../http/pages.ts";
import { readParams } from "../http/parameters/form.ts";
import { email, flag, id, instant, longText, text, webAddress, word, landingUrl } from "../input/fields.ts";
import { describe, shapeInput } from "../input/shape.ts";
import { listParams, readListPage, type V1Operation, type V1Request } from "./operation.ts";
import { profileChanges, readSelection, selectorParams, wireFields } from "./promoter-changes.ts";
import {
  profileAnswer,
  promoterAnswer,
  promoterSubsetAnswer,
  showPromoter,
  showPromoters,
} from "./promoter-json.ts";
import { field } from "../http/fields.ts";
import { promotionAnswer } from "./promotion-json.ts";

const filterParams = z.object({ campaign_id: field(id, "Id of the campaign.", 1) }).partial();

const USUAL_PER_PAGE = 50;

export const listPromotersOperation: V1Operation = {
  id: "v1ListPromoters",
  summary: "List promoters; with a campaign, only those accepted in it",
  description:
    "Lists your promoters, oldest first. With `campaign_id`, only those who are accepted in that campaign.",
  params: listParams(filterParams, USUAL_PER_PAGE),
  answer: z.array(promoterAnswer),
  isPaged: true,
  refusals: ["refused", "invalid"],
  handle: list,
};

export const showPromoterOperation: V1Operation = {
  id: "v1ShowPromoter",
  summary: "Show a promoter",
  description:
    "Finds one promoter by id, `cust_id`, `auth_token`, e-mail, referral id or promo code. Give one of them.",
  example: { cust_id: "user-4711" },
  params: selectorParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found"],
  handle: show,
};

/** @see docs/spec/v1.md "Create a promoter" */
const createParams = z
  .object({
    first_name: field(text, "First name.", "Jane"),
    last_name: field(text, "Last name.", "Doe"),
    cust_id: field(text, promoterSubsetAnswer.schema.shape.cust_id),
    ref_id: field(
      word(REF_TOKEN_LENGTH).refine(isRefToken, "only lower-case letters, digits, - and _ are allowed"),
      promotionAnswer.schema.shape.ref_id,
    ),
    promo_code: field(text, promotionAnswer.schema.shape.promo_code),
    customer_promo_code: field(text, promotionAnswer.schema.shape.customer_promo_code),
    campaign_id: field(id, "Id of the campaign.", 1),
    temp_password: field(text, promoterSubsetAnswer.schema.shape.temp_password),
    landing_url: field(webAddress, landingUrl),
    url_tracking: field(flag, "Whether visits of `landing_url` count without a referral id in the link."),
    website: field(text, profileAnswer.shape.website),
    wallet_email: field(email, profileAnswer.shape.wallet_email),
    paypal_email: field(email, "Another name of `wallet_email`.", "jane@wallet.example"),
    avatar_url: field(text, profileAnswer.shape.avatar_url),
    parent_promoter_id: field(id, "Id of the promoter who recruited this one.", 12),
    parent_promoter_email: field(text, "E-mail of the promoter who recruited this one.", "alex@example.com"),
    linkedin_url: field(text, "Their page on LinkedIn.", "https://linkedin.com/in/jane"),
    twitter_url: field(text, "Their page on Twitter.", "https://twitter.com/jane"),
    facebook_url: field(text, "Their page on Facebook.", "https://facebook.com/jane"),
    instagram_url: field(text, "Their page on Instagram.", "https://instagram.com/jane"),
    youtube_url: field(text, "Their channel on YouTube.", "https://youtube.com/@jane"),
    country: field(text, profileAnswer.shape.country),
    company_name: field(text, "Name of the company.", "Acme"),
    phone_number: field(text, "Phone number.", "+1 555 0100"),
    address: field(text, profileAnswer.shape.address),
    note: field(longText, promoterSubsetAnswer.schema.shape.note),
    created_at: field(instant, "When the record was created.", "2026-03-01T09:30:00.000Z"),
    skip_email_notification: field(flag, "`true` sends no e-mail about this. Default: `false`."),
    always_approve: field(
      flag,
      "`true` approves the promoter despite a fraud suspicion, if the campaign approves automatically.",
    ),
  })
  .partial()
  .extend({ email: field(email, promoterSubsetAnswer.schema.shape.email) });

export const createPromoterOperation: V1Operation = {
  id: "v1CreatePromoter",
  summary: "Create a promoter",
  description:
    "Adds a promoter to a campaign: the default one, unless `campaign_id` names another. Only `email` is required; a referral id is made from the name if you give none.",
  example: {
    email: "jane@example.com",
    first_name: "Jane",
    last_name: "Doe",
    cust_id: "user-4711",
    ref_id: "jane",
  },
  params: createParams,
  answer: promoterAnswer,
  refusals: ["not_found", "invalid", "taken", "busy"],
  shape: createPromoterError,
  handle: create,
};

async function list(request: V1Request) {
  const { event, account, context } = request;
  const params = await readParams(event);
  const { campaign_id } = shapeInput(filterParams, params);
  const page = readListPage(params, USUAL_PER_PAGE);
  // The service answers 422 here, and 404 elsewhere.
  const isKnown =
    campaign_id === undefined || (await context.store.get(campaigns, account.id, campaign_id)) !== null;
  if (!isKnown) throw new Failure("refused", "Campaign not found.");
  const filter = campaign_id === undefined ? {} : { campaign_ids: [campaign_id], state: "accepted" as const };
  const { records, total } = await findPromoters(context.store, account.id, { filter, ...page });
  setPageHeaders(request, page, total);
  return showPromoters(context.store, records);
}

async function show({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  const { promoter } = await loadSelected(context.store, account.id, selection);
  return showPromoter(context.store, promoter);
}

const OWN_NAMES = { email: "company_user.user.email" };

const PROMOTION_FIELDS = ["ref_id", "promo_code", "customer_promo_code", "landing_url"];

/**
 * 422 with the dotted e-mail key beside the other field errors. `promotions` repeats the errors of the promoterCampaign,
 * or is empty.
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
  const secrets = { temp_password: chosen, temp_password_hash: password.hash };
  const input = { ...newPromoter(params), ...secrets, address };
  return context.store.transact(async (tx) => {
    const { promoter } = await createPromoter(tx, context, account, input);
    return { ...(await showPromoter(tx.view, promoter)), temp_password: password.text };
  });
}

function newPromoter(
  params: z.output<typeof createParams>,
): Omit<NewPromoter, "address" | "temp_password_hash"> {
  return {
    email: params.email,
    cust_id: params.cust_id ?? null,
    ref_token: params.ref_id ?? null,
    coupon: params.promo_code ?? null,
    display_coupon: params.customer_promo_code ?? null,
    campaign_id: params.campaign_id ?? null,
    landing_url: params.landing_url ?? null,
    uses_url_tracking: params.url_tracking ?? false,
    parent_promoter_id: params.parent_promoter_id ?? null,
    parentPromoterEmail: params.parent_promoter_email ?? null,
    note: params.note ?? null,
    profile: newProfile(profileChanges(params)),
    created_at: params.created_at ?? null,
    skip_email_notification: params.skip_email_notification ?? false,
    alwaysApprove: params.always_approve ?? false,
  };
}
