import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import type { Payout, PayoutStatus } from "../payout/record.ts";
import { paymentsBatches } from "./batch.ts";
import { BATCH_STATUS_COUNTER } from "./counter.ts";
import type { PaymentsBatch, PaymentsBatchStatus } from "./record.ts";

/**
 * Completes a batch with the last of its payouts that was under way. It fails if one of its payouts has failed. Call
 * it for each change of a payout's status, and when a payout is removed (`after` is null).
 */
export async function settleBatch(
  tx: Transaction,
  context: Pick<Context, "store" | "now">,
  { before, after }: { before: Payout; after: Payout | null },
): Promise<void> {
  const { accountId, paymentsBatchId: id } = before;
  const batch = id === null ? null : await tx.get(paymentsBatches, accountId, id);
  // A batch that has not been paid waits, whatever happens to its payouts.
  if (batch === null || (batch.status !== "processing" && batch.status !== "failed")) return;
  // The counters don't show this change yet.
  const now = async (status: PayoutStatus) => {
    const counted = await tx.sum(accountId, [BATCH_STATUS_COUNTER, batch.id, status]);
    const isStill = after?.paymentsBatchId === batch.id && after.status === status;
    return counted + (isStill ? 1 : 0) - (before.status === status ? 1 : 0);
  };
  const failedCount = await now("failed");
  const status = (await now("processing")) > 0 ? "processing" : failedCount > 0 ? "failed" : "completed";
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
