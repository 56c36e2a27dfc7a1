import { share } from "../money/money.ts";
import type { Sale } from "./record.ts";

/** Whether nothing is left of a sale. One in another currency may be worth nothing in the account's. */
export function isRefunded(sale: Sale): boolean {
  if (sale.amountCents === 0) return sale.refundedOriginalAmount >= sale.originalAmount;
  return sale.refundedCents >= sale.amountCents;
}

/** Whether refunds took all of a sale back. A sale of nothing has nothing left either, but nobody refunded it. */
export function isTakenBack(sale: Sale): boolean {
  return sale.refundedOriginalAmount > 0 && isRefunded(sale);
}

/** The part of an amount that is left when the same part of its sale was refunded. */
export function leftPart(sale: Sale, amount: number): number {
  const { amountCents, refundedCents, originalAmount, refundedOriginalAmount } = sale;
  if (amountCents === 0) return share(amount, originalAmount - refundedOriginalAmount, originalAmount);
  return share(amount, amountCents - refundedCents, amountCents);
}
