import type { FieldErrors } from "../failure.ts";

/** Where the domain's fields of a promoter stand in V1's errors; all others have one name. */
const FIELD_NAMES: Record<string, string> = {
  custId: "cust_id",
  refToken: "ref_id",
  coupon: "promo_code",
  displayCoupon: "customer_promo_code",
  landingUrl: "landing_url",
  parentPromoterEmail: "parent_promoter_email",
};

/** A record's faults under the names of the wire; `own` are those of one operation. */
export function wireFields(fields: FieldErrors, own: Record<string, string> = {}): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([name, messages]) => [own[name] ?? FIELD_NAMES[name] ?? name, messages]),
  );
}
