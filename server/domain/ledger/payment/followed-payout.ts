import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { announceMoney } from "../announcement.ts";
import { loadPayout, payouts, type Payout, type PayoutStatus } from "../payout/payout.ts";
import { moveWithin } from "../payout/status.ts";
import { payoutClaims, type Payment, type PaymentState } from "./payment.ts";

/** The status of the payouts of a payment in each state. */
const STATUSES: Record<PaymentState, PayoutStatus> = {
  intent: "processing",
  asked: "processing",
  unclaimed: "processing",
  confirmed: "completed",
  failed: "failed",
  partly_returned: "completed",
  returned: "failed",
};

/** Updates a payout after its payment. Null: it has a newer payment, or was settled by hand. */
export async function followPayment(
  tx: Transaction,
  context: Context,
  { payment, payout_id }: { payment: Payment; payout_id: number },
): Promise<Payout | null> {
  const { account_id, id, error } = payment;
  const claim = await tx.get(payoutClaims, account_id, payout_id);
  if (claim?.payment_id !== id || (await tx.get(payouts, account_id, payout_id)) === null) return null;
  const wanted = STATUSES[payment.state];
  let payout = await loadPayout(tx, account_id, payout_id);
  const by = payment;
  if (payout.status === "failed" && wanted !== "failed")
    payout = await moveWithin(tx, context, { payout, to: "processing", by });
  if (payment.state === "partly_returned") return showReturn(tx, context, { payout, payment });
  // It can safely stay pending: it is free to be paid.
  if (payout.status === wanted || (payout.status === "pending" && wanted === "failed")) return payout;
  if (payout.status === "cancelled" || (payout.status === "completed" && wanted !== "failed")) return null;
  return moveWithin(tx, context, { payout, to: wanted, error, by });
}

/** Shows with a paid payout that a part of its money came back. It stays paid, so that nothing pays it again. */
async function showReturn(
  tx: Transaction,
  context: Context,
  { payout, payment }: { payout: Payout; payment: Payment },
): Promise<Payout | null> {
  if (payout.status === "cancelled") return null;
  const paid =
    payout.status === "completed"
      ? payout
      : await moveWithin(tx, context, { payout, to: "completed", by: payment });
  const after = { ...paid, error: payment.error };
  await tx.put(payouts, after);
  await announceMoney(tx, context, { entity: "payout", before: paid, after });
  return after;
}
