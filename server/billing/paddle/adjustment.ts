import type { AdjustmentNotification } from "@paddle/paddle-node-sdk";
import type { Nothing, RefundTold } from "../told.ts";

/** The adjustments that take money back. Choice: a chargeback that is reversed later is not undone. */
const TAKING_BACK = ["refund", "chargeback"] as const;

/** An adjustment of a transaction. Refunds wait for Paddle's approval, and an event reports it. */
export function adjustmentMade(adjustment: AdjustmentNotification, at: Date): RefundTold | Nothing {
  const { id, action, status, transactionId, currencyCode, totals } = adjustment;
  if (!TAKING_BACK.some((each) => each === action)) {
    return { kind: "nothing", reason: `An adjustment of the kind ${action} does not count` };
  }
  if (status !== "approved") return { kind: "nothing", reason: `The ${action} is not approved: ${status}` };
  return {
    kind: "refund",
    id,
    objects: [transactionId],
    grossFrom: 0,
    grossTo: Number(totals.total),
    // The subtotal may be that before a discount.
    netAmount: Number(totals.total) - Number(totals.tax),
    currency: currencyCode,
    at,
  };
}
