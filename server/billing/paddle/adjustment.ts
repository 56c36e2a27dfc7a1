import { z } from "zod";
import type { Nothing, RefundTold } from "../told.ts";
import { amount } from "./fields.ts";

/** The adjustments that count. */
const KINDS: Record<string, RefundTold["kind"]> = {
  refund: "refund",
  chargeback: "dispute",
  chargeback_reverse: "reversal",
};

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
  const kind = KINDS[action];
  if (kind === undefined) {
    return { kind: "nothing", reason: `An adjustment of the kind ${action} does not count` };
  }
  // A chargeback stays what it is when it is reversed. Another adjustment, the reversal, gives its money back.
  if (status !== "approved" && !(kind === "dispute" && status === "reversed"))
    return { kind: "nothing", reason: `The ${action} is not approved: ${status}` };
  return {
    kind,
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
