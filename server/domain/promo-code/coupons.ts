import { indexed } from "../../storage/digests.ts";

/** A coupon as it is compared without letter case. */
export function foldedCoupon(coupon: string): string {
  return indexed(coupon.toLowerCase());
}
