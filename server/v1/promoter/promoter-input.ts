import { z } from "zod";
import type { ProfileChanges } from "../../domain/people/promoter/promoter.ts";
import type { Selection, Selector } from "../../domain/people/promoter/search.ts";
import { Failure, type FieldErrors } from "../../failure.ts";
import { text } from "../../input/fields.ts";
import { describe } from "../../input/shape.ts";
import { field } from "../../http/fields.ts";
import { promotionAnswer } from "./promotion-json.ts";
import { promoterSubsetAnswer } from "./promoter-json.ts";

/** V1's names of a promoter's fields where they differ from the domain's. */
const FIELD_NAMES: Record<string, string> = {
  custId: "cust_id",
  refToken: "ref_id",
  coupon: "promo_code",
  displayCoupon: "customer_promo_code",
  directUrl: "landing_url",
  landingUrl: "landing_url",
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
    firstName: given.first_name,
    lastName: given.last_name,
    website: given.website,
    companyName: given.company_name,
    phoneNumber: given.phone_number,
    address: given.address,
    vatId: given.vat_id,
    country: given.country,
    walletEmail: given.wallet_email === undefined ? given.paypal_email : given.wallet_email,
    avatarUrl: given.avatar_url,
    description: given.description,
    twitterUrl: given.twitter_url,
    youtubeUrl: given.youtube_url,
    facebookUrl: given.facebook_url,
    linkedinUrl: given.linkedin_url,
    instagramUrl: given.instagram_url,
  };
}

/** The parameters that name a promoter. @see docs/spec/v1.md "Selectors" */
export const selectorParams = z
  .object({
    id: field(text.meta({ documentedAs: { type: "integer", minimum: 1 } }), "Id of the record.", 17),
    cust_id: field(text, promoterSubsetAnswer.shape.cust_id),
    auth_token: field(text, promoterSubsetAnswer.shape.auth_token),
    promoter_email: field(text, "E-mail of the promoter.", "jane@example.com"),
    ref_id: field(text, promotionAnswer.shape.ref_id),
    promo_code: field(text, promotionAnswer.shape.promo_code),
    source_id: field(text, "The promoter's id in the program that you switched from.", "aff_1"),
  })
  .partial();

/** A selection and the parameter that it came from. */
export interface NamedSelection extends Selection {
  param: string;
}

/** If several are given, the first in this list is used. */
const SELECTORS: [param: string, by: Selector][] = [
  ["id", "id"],
  ["cust_id", "custId"],
  ["auth_token", "authToken"],
  ["promoter_email", "email"],
  ["ref_id", "refToken"],
  ["email", "email"],
  ["promo_code", "promoCode"],
  ["source_id", "sourceId"],
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
export function requireParams(params: Record<string, unknown>, names: string[]): void {
  const absent = names.filter((name) => String(params[name] ?? "").trim() === "");
  if (absent.length > 0) throw new Failure("missing", `${absent.join(", ")} can't be blank`);
}
