import { Failure } from "../../failure.ts";
import type { Transaction } from "../../storage/store.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { payouts } from "../payout/payout.ts";
import type { Payout } from "../payout/record.ts";
import { moveWithin } from "../payout/status-moves.ts";
import type { Show } from "../show.ts";
import { lockPaymentsBatch, paymentsBatches } from "./batch.ts";
import type { PaymentsBatch, PaymentsBatchStatus } from "./record.ts";

/** The statuses in which a batch can be paid for the first time, and those in which it can be tried again. */
export const PAYABLE: readonly PaymentsBatchStatus[] = ["awaiting_confirmation"];
export const RETRIABLE: readonly PaymentsBatchStatus[] = ["failed"];

/**
 * Confirms a batch: its payouts are under way from now on. After a failure, those that failed are under way again.
 *
 * Choice: no payment provider is connected, so nobody sends money. The company uploads the batch's file to its bank or
 * wallet, and then marks the payouts as paid.
 *
 * @throws Failure `not_found`, or `refused` if nothing is left to pay
 */
export function payBatch<T>(
  context: Context,
  accountId: number,
  { id, show }: { id: number; show: Show<PaymentsBatch, T> },
): Promise<T> {
  return context.store.transact(async (tx) => {
    const before = await lockPaymentsBatch(tx, accountId, id);
    if (!PAYABLE.includes(before.status) && !RETRIABLE.includes(before.status)) {
      throw new Failure("refused", `A ${before.status} payments batch can't be paid`);
    }
    const open = (await payoutsIn(tx, before)).filter(
      ({ status }) => status === "pending" || status === "failed",
    );
    if (open.length === 0) throw new Failure("refused", "The payments batch has nothing left to pay");
    const processingStartedAt = context.now.toISOString();
    const after: PaymentsBatch = { ...before, status: "processing", processingStartedAt, error: null };
    // The batch comes first, because each payout that moves looks at its status.
    await tx.put(paymentsBatches, after);
    for (const payout of open) await moveWithin(tx, context, { payout, to: "processing" });
    await announce(tx, context, { entity: "payments_batch", before, after });
    return show(tx.view, after);
  });
}

/**
 * Deletes a batch. Its payouts are pending again.
 *
 * Choice: completed payouts stay completed.
 *
 * @throws Failure `not_found`, or `refused` while it is processing or once it is completed
 */
export async function removePaymentsBatch(context: Context, accountId: number, id: number): Promise<void> {
  await context.store.transact(async (tx) => {
    const batch = await lockPaymentsBatch(tx, accountId, id);
    if (batch.status === "processing" || batch.status === "completed") {
      throw new Failure("refused", `A ${batch.status} payments batch can't be deleted`);
    }
    const inside = await payoutsIn(tx, batch);
    await tx.remove(paymentsBatches, accountId, id);
    for (const payout of inside) await takeOut(tx, context, payout);
    await announce(tx, context, { entity: "payments_batch", before: batch, after: null });
  });
}

async function takeOut(tx: Transaction, context: Context, before: Payout): Promise<void> {
  if (before.status === "failed") {
    await moveWithin(tx, context, { payout: before, to: "pending" });
    return;
  }
  const payoutMethodId = before.status === "pending" ? null : before.payoutMethodId;
  const after = { ...before, paymentsBatchId: null, payoutMethodId };
  await tx.put(payouts, after);
  await announce(tx, context, { entity: "payout", before, after });
}

function payoutsIn({ view }: Transaction, { accountId, id }: PaymentsBatch): Promise<Payout[]> {
  return view.list(payouts, "batch", accountId, [id]);
}
