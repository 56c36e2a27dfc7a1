import { z } from "zod";
import type { Context } from "../domain/context.ts";
import { keepPassword } from "../domain/access/password.ts";
import { addToCampaign, beginMove, finishMove } from "../domain/people/promoter-campaign/changes.ts";
import { isRefToken } from "../domain/people/promoter-campaign/promoter-campaign.ts";
import { refreshAuthToken, updatePromoter, type PromoterChanges } from "../domain/people/promoter/changes.ts";
import { deletePromoter } from "../domain/ledger/promoter-deletion.ts";
import { Failure, type FieldErrors } from "../failure.ts";
import type { AnswerHeaders } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { readParams } from "../http/parameters/form.ts";
import { email, flag, id, longText, text, webAddress, landingUrl } from "../input/fields.ts";
import { shapeFormChanges, shapeInput, describe } from "../input/shape.ts";
import type { V1Operation, V1Request } from "./operation.ts";
import { profileAnswer, promoterAnswer, promoterSubsetAnswer, showPromoter } from "./promoter-json.ts";
import { field, message } from "../http/fields.ts";
import { promotionAnswer } from "./promotion-json.ts";
import type { ProfileChanges } from "../domain/people/promoter/promoter.ts";
import type { Selection, Selector } from "../domain/people/promoter/search.ts";

const clearable = text.nullable();

/** Fields that are left out stay; blank text clears them. */
const updateParams = z
  .object({
    email: field(email, promoterSubsetAnswer.schema.shape.email),
    new_cust_id: field(clearable, "The promoter's new `cust_id`. Blank text clears it.", "user-4712"),
    new_ref_id: field(
      z
        .string("is invalid")
        .trim()
        .refine(isRefToken, "only lower-case letters, digits, - and _ are allowed"),
      "The new referral id.",
      "jane-doe",
    ),
    promo_code: field(clearable, promotionAnswer.schema.shape.promo_code),
    customer_promo_code: field(clearable, promotionAnswer.schema.shape.customer_promo_code),
    campaign_id: field(id, "Id of the campaign.", 1),
    temp_password: field(text, promoterSubsetAnswer.schema.shape.temp_password),
    landing_url: field(webAddress.nullable(), landingUrl),
    url_tracking: field(flag, "Whether visits of `landing_url` count without a referral id in the link."),
    parent_promoter_email: field(
      clearable,
      "E-mail of the promoter who recruited this one.",
      "alex@example.com",
    ),
    note: field(longText.nullable(), promoterSubsetAnswer.schema.shape.note),
    first_name: field(clearable, "First name.", "Jane"),
    last_name: field(clearable, "Last name.", "Doe"),
    website: field(clearable, profileAnswer.shape.website),
    company_name: field(clearable, "Name of the company.", "Acme"),
    phone_number: field(clearable, "Phone number.", "+1 555 0100"),
    address: field(clearable, profileAnswer.shape.address),
    vat_id: field(clearable, profileAnswer.shape.vat_id),
    country: field(clearable, profileAnswer.shape.country),
    wallet_email: field(email.nullable(), profileAnswer.shape.wallet_email),
    paypal_email: field(email.nullable(), "Another name of `wallet_email`.", "jane@wallet.example"),
    avatar_url: field(clearable, profileAnswer.shape.avatar_url),
    description: field(longText.nullable(), profileAnswer.shape.description),
    twitter_url: field(clearable, "Their page on Twitter.", "https://twitter.com/jane"),
    youtube_url: field(clearable, "Their channel on YouTube.", "https://youtube.com/@jane"),
    facebook_url: field(clearable, "Their page on Facebook.", "https://facebook.com/jane"),
    linkedin_url: field(clearable, "Their page on LinkedIn.", "https://linkedin.com/in/jane"),
    instagram_url: field(clearable, "Their page on Instagram.", "https://instagram.com/jane"),
  })
  .partial();

/** The parameters that name a promoter. @see docs/spec/v1.md "Selectors" */
export const selectorParams = z
  .object({
    id: field(text.meta({ documentedAs: { type: "integer", minimum: 1 } }), "Id of the record.", 17),
    cust_id: field(text, promoterSubsetAnswer.schema.shape.cust_id),
    auth_token: field(text, promoterSubsetAnswer.schema.shape.auth_token),
    promoter_email: field(text, "E-mail of the promoter.", "jane@example.com"),
    ref_id: field(text, promotionAnswer.schema.shape.ref_id),
    promo_code: field(text, promotionAnswer.schema.shape.promo_code),
    source_id: field(text, "The promoter's id in the program that you switched from.", "aff_1"),
  })
  .partial();

/** Some clients use POST. */
export const updatePromoterOperation: V1Operation = {
  id: "v1UpdatePromoter",
  summary: "Update a promoter",
  description:
    "Changes a promoter. Name the promoter by one of `id`, `cust_id`, `auth_token`, `promoter_email` or `ref_id`, and give what changes. What you leave out stays.",
  example: { cust_id: "user-4711", new_ref_id: "jane-doe", website: "https://blog.example.com" },
  params: selectorParams.extend(updateParams.shape),
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "taken", "refused", "busy"],
  shape: updateError,
  handle: update,
};

export const deletePromoterOperation: V1Operation = {
  id: "v1DeletePromoter",
  summary: "Delete a promoter without earnings",
  description:
    "Deletes a promoter without earnings. Promoters with commissions or payouts can't be deleted; archive them instead.",
  params: selectorParams,
  answer: z.object({
    message,
  }),
  refusals: ["missing", "not_found", "refused"],
  handle: remove,
};

export const refreshTokenOperation: V1Operation = {
  id: "v1RefreshPromoterToken",
  summary: "Give a promoter a new auth token",
  description: "Gives a promoter a new `auth_token`. The old one no longer logs in.",
  example: { cust_id: "user-4711" },
  params: selectorParams,
  answer: z.object({
    auth_token: field(z.string(), promoterSubsetAnswer.schema.shape.auth_token),
  }),
  refusals: ["missing", "not_found", "refused"],
  handle: refresh,
};

const addParams = selectorParams.extend({ campaign_id: field(id, "Id of the campaign.", 1) });

export const addToCampaignOperation: V1Operation = {
  id: "v1AddPromoterToCampaign",
  summary: "Add a promoter to one more campaign",
  description: "Adds a promoter to one more campaign.",
  example: { cust_id: "user-4711", campaign_id: 2 },
  params: addParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  handle: add,
};

/** By default, the promoter leaves the campaign of their default promoterCampaign. */
const moveParams = selectorParams.extend({
  destination_campaign_id: field(id, "Campaign that the promoter moves to.", 2),
  source_campaign_id: field(id.optional(), "Campaign that the promoter leaves. Default: their first one.", 1),
});

export const moveToCampaignOperation: V1Operation = {
  id: "v1MovePromoterToCampaign",
  summary: "Move a promoter from one campaign to another",
  description: "Moves a promoter from one campaign to another. Leads and commissions stay where they are.",
  example: { cust_id: "user-4711", destination_campaign_id: 2 },
  params: moveParams,
  answer: promoterAnswer,
  refusals: ["missing", "not_found", "invalid", "refused"],
  handle: move,
};

/** Puts field errors under the names that the client sent. @see docs/spec/common.md "Errors", 2 */
function updateError(failure: Failure, headers: AnswerHeaders): Response {
  const fields = wireFields(failure.fields, { cust_id: "new_cust_id", ref_token: "new_ref_id" });
  return v1Error(new Failure(failure.kind, failure.message, fields), headers);
}

async function update({ event, account, context, inquireVat }: V1Request) {
  const params = await readParams(event);
  const selection = readSelection(params);
  const changes = await promoterChanges(context, params, selection);
  const updated = await context.store.transact(async (tx) =>
    showPromoter(tx.view, await updatePromoter(tx, context, account.id, { selection, changes })),
  );
  inquireVat(updated);
  return updated;
}

/**
 * Reads the changes. `email` and `promo_code` select the promoter if no other selector is given; otherwise they are new
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
    cust_id: given.new_cust_id,
    note: given.note,
    temp_password_hash: chosen === undefined ? undefined : (await keepPassword(context, chosen)).hash,
    parentPromoterEmail: given.parent_promoter_email,
    profile: profileChanges(given),
    campaign_id: given.campaign_id,
    promoterCampaign: {
      ref_token: given.new_ref_id,
      coupon: given.promo_code,
      display_coupon: given.customer_promo_code,
      landing_url: given.landing_url,
      uses_url_tracking: given.url_tracking,
    },
  };
}

async function remove({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  await context.store.transact((tx) => deletePromoter(tx, context, account.id, selection));
  return { message: "Promoter removed." };
}

async function refresh({ event, account, context }: V1Request) {
  const selection = readSelection(shapeInput(selectorParams, await readParams(event)));
  const { auth_token } = await context.store.transact((tx) =>
    refreshAuthToken(tx, context, account.id, selection),
  );
  return { auth_token };
}

async function add({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const selection = readSelection(given);
  requireParams(given, ["campaign_id"]);
  const { campaign_id } = shapeInput(addParams, given);
  return context.store.transact(async (tx) => {
    const { promoter } = await addToCampaign(tx, context, account.id, { selection, campaign_id });
    return showPromoter(tx.view, promoter);
  });
}

async function move({ event, account, context }: V1Request) {
  const given = await readParams(event);
  const selection = readSelection(given);
  requireParams(given, ["destination_campaign_id"]);
  const params = shapeInput(moveParams, given);
  const wanted = {
    selection,
    fromCampaignId: params.source_campaign_id ?? null,
    toCampaignId: params.destination_campaign_id,
    moves_leads: false,
  };
  const { moved, shown } = await context.store.transact(async (tx) => {
    const moved = await beginMove(tx, context, account.id, wanted);
    return { moved, shown: await showPromoter(tx.view, moved.promoter) };
  });
  await finishMove(context, wanted, moved);
  return shown;
}

/** V1's names of a promoter's fields where they differ from the domain's. */
const FIELD_NAMES: Record<string, string> = {
  ref_token: "ref_id",
  coupon: "promo_code",
  display_coupon: "customer_promo_code",
  direct_url: "landing_url",
  parentPromoterEmail: "parent_promoter_email",
};

/** Renames field errors to V1's names. `own` has the names of one operation. */
export function wireFields(fields: FieldErrors, own: Record<string, string> = {}): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([name, messages]) => [own[name] ?? FIELD_NAMES[name] ?? name, messages]),
  );
}

/** The parameters of a profile. */
type ProfileParam =
  | `${"first" | "last" | "company"}_name`
  | `${"avatar" | "twitter" | "youtube" | "facebook" | "linkedin" | "instagram"}_url`
  | "website"
  | "phone_number"
  | "address"
  | "vat_id"
  | "country"
  | "wallet_email"
  | "paypal_email"
  | "description";

/** The given profile fields. `paypal_email` is another name of `wallet_email`, which takes precedence. */
export function profileChanges(given: {
  [Name in ProfileParam]?: string | null | undefined;
}): ProfileChanges {
  return {
    first_name: given.first_name,
    last_name: given.last_name,
    website: given.website,
    company_name: given.company_name,
    phone_number: given.phone_number,
    address: given.address,
    vat_id: given.vat_id,
    country: given.country,
    wallet_email: given.wallet_email === undefined ? given.paypal_email : given.wallet_email,
    avatar_url: given.avatar_url,
    description: given.description,
    twitter_url: given.twitter_url,
    youtube_url: given.youtube_url,
    facebook_url: given.facebook_url,
    linkedin_url: given.linkedin_url,
    instagram_url: given.instagram_url,
  };
}

/** A selection and the parameter that it came from. */
interface NamedSelection extends Selection {
  param: string;
}

/** If several are given, the first in this list is used. */
const SELECTORS: [param: string, by: Selector][] = [
  ["id", "id"],
  ["cust_id", "cust_id"],
  ["auth_token", "auth_token"],
  ["promoter_email", "email"],
  ["ref_id", "ref_token"],
  ["email", "email"],
  ["promo_code", "promo_code"],
  ["source_id", "source_id"],
];

/**
 * Reads which promoter a request is about. A number that was rounded by JSON is refused, because falling back to the next
 * selector might find another promoter.
 *
 * @throws Failure `missing`, `invalid`
 */
export function readSelection(params: Record<string, unknown>): NamedSelection {
  for (const [param, by] of SELECTORS) {
    const value = params[param];
    if (value === undefined || value === null || String(value).trim() === "") continue;
    if (typeof value === "string") return { param, by, value };
    const fields = { [param]: ["is invalid"] };
    throw new Failure("invalid", describe(fields), fields);
  }
  throw new Failure(
    "missing",
    "You need to find the promoter either by id, cust_id, auth_token, ref_id, promoter_email or promo_code",
  );
}

/** Refuses a request without required parameters. @throws Failure `missing` */
function requireParams(params: Record<string, unknown>, names: string[]): void {
  const absent = names.filter((name) => String(params[name] ?? "").trim() === "");
  if (absent.length > 0) throw new Failure("missing", `${absent.join(", ")} can't be blank`);
}
