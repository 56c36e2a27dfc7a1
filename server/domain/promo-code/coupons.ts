import type { Count } from "../../storage/collection.ts";
import { digest, type Key } from "../../storage/keys.ts";
import type { Transaction } from "../../storage/store.ts";

/** The kinds of records that have a coupon. */
type Holder = "promoter-campaign" | "reward";

/**
 * Counts a coupon in any letter case. Claims hold coupons as they are written, because they may be the ids of a payment
 * processor.
 */
export function couponCounts(holder: Holder, coupon: string | null): Count[] {
  return coupon === null ? [] : [[counterOf(holder, coupon), 1]];
}

/** How many holders have a coupon, in any letter case. The commit fails if another one gets it meanwhile. */
export function countCoupons(
  tx: Transaction,
  accountId: number,
  { holder, coupon }: { holder: Holder; coupon: string },
): Promise<number> {
  return tx.sum(accountId, counterOf(holder, coupon));
}

function counterOf(holder: Holder, coupon: string): Key {
  return [`${holder}.coupon`, digest(coupon.toLowerCase())];
}
