import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { payouts } from "../payout/payout.ts";
import type { Payout } from "../payout/record.ts";
import { paymentsBatches } from "./batch.ts";
import type { PaymentsBatch, PaymentsBatchStatus } from "./record.ts";

/**
 * Completes a batch with the last of its payouts that was under way. It fails if one of its payouts has failed. Call
 * it after each change of a payout's status, and when a payout was removed.
 */
export async function settleBatch(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { accountId, paymentsBatchId: id }: Payout,
): Promise<void> {
  // Other payouts of the batch that change wait for this one.
  const batch = id === null ? null : await tx.lock(paymentsBatches, accountId, id);
  // A batch that has not been paid waits, whatever happens to its payouts.
  if (batch === null || (batch.status !== "processing" && batch.status !== "failed")) return;
  const [underWay] = await tx.view.page(payouts, "batchStatus", accountId, [batch.id, "processing"], {
    limit: 1,
  });
  // Only the last payout counts, because there may be very many.
  const failedCount =
    underWay === undefined ? await tx.view.count(payouts, "batchStatus", accountId, [batch.id, "failed"]) : 0;
  const status = underWay !== undefined ? "processing" : failedCount > 0 ? "failed" : "completed";
  if (status !== batch.status) await putStatus(tx, context, { batch, status, failedCount });
}

async function putStatus(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { batch, status, failedCount }: { batch: PaymentsBatch; status: PaymentsBatchStatus; failedCount: number },
): Promise<void> {
  const after: PaymentsBatch = {
    ...batch,
    status,
    completedAt: status === "completed" ? context.now.toISOString() : null,
    error: status === "failed" ? `${failedCount} of its payouts failed` : null,
  };
  await tx.put(paymentsBatches, after);
  await announce(tx, context, { entity: "payments_batch", before: batch, after });
}
