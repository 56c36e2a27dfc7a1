import { indexed } from "../../storage/keys.ts";

/** A coupon as it is compared without letter case. */
export function foldedCoupon(coupon: string): string {
  return indexed(coupon.toLowerCase());
}
