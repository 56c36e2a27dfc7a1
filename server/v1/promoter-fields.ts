import type { ProfileChanges } from "../domain/profile.ts";
import type { FieldErrors } from "../failure.ts";

/** Where the domain's fields of a promoter stand in V1's errors; all others have one name. */
const FIELD_NAMES: Record<string, string> = {
  custId: "cust_id",
  refToken: "ref_id",
  coupon: "promo_code",
  displayCoupon: "customer_promo_code",
  directUrl: "landing_url",
  landingUrl: "landing_url",
  parentPromoterEmail: "parent_promoter_email",
};

/** A record's faults under the names of the wire; `own` are those of one operation. */
export function wireFields(fields: FieldErrors, own: Record<string, string> = {}): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([name, messages]) => [own[name] ?? FIELD_NAMES[name] ?? name, messages]),
  );
}

/** The parameters that a profile is written by. */
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

/** What is given of a profile. `paypal_email` is another name of `wallet_email`, which has the last word. */
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
