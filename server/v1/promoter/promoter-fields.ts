import type { ProfileChanges } from "../../domain/promoter/promoter.ts";
import type { FieldErrors } from "../../failure.ts";

/** V1's names for the domain's fields of a promoter, where they differ. */
const FIELD_NAMES: Record<string, string> = {
  custId: "cust_id",
  refToken: "ref_id",
  coupon: "promo_code",
  displayCoupon: "customer_promo_code",
  directUrl: "landing_url",
  landingUrl: "landing_url",
  parentPromoterEmail: "parent_promoter_email",
};

/** Puts a record's field errors under their wire names. `own` holds the names of one operation. */
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

/** The profile fields that are given. `paypal_email` is another name of `wallet_email`, which wins. */
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
