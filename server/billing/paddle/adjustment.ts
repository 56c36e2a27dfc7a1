import { z } from "zod";
import type { Nothing, RefundTold } from "../told.ts";
import { amount } from "./fields.ts";

/** The adjustments that take money back. Choice: a chargeback that is reversed later is not undone. */
const TAKING_BACK = ["refund", "chargeback"] as const;

const adjustmentShape = z.object({
  id: z.string(),
  action: z.string(),
  status: z.string(),
  transactionId: z.string(),
  currencyCode: z.string(),
  totals: z.object({ total: amount, tax: amount }),
});

/** An adjustment of a transaction. Refunds wait for Paddle's approval, and an event reports it. */
export function adjustmentMade(data: unknown, at: Date): RefundTold | Nothing {
  const { id, action, status, transactionId, currencyCode, totals } = adjustmentShape.parse(data);
  if (!TAKING_BACK.some((each) => each === action)) {
    return { kind: "nothing", reason: `An adjustment of the kind ${action} does not count` };
  }
  if (status !== "approved") return { kind: "nothing", reason: `The ${action} is not approved: ${status}` };
  return {
    kind: "refund",
    id,
    objects: [transactionId],
    grossFrom: 0,
    grossTo: totals.total,
    // The subtotal may be that before a discount.
    netAmount: totals.total - totals.tax,
    currency: currencyCode,
    at,
  };
}
