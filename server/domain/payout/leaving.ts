import { Failure } from "../../failure.ts";
import type { Commission } from "../commission/record.ts";
import type { Payout } from "./record.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { loadOwnedRecords } from "../../storage/transaction/owned-records.ts";
import { commissions } from "../commission/commission.ts";
import type { Context } from "../context.ts";
import { announce } from "../event/event.ts";
import { withTax } from "./decision.ts";
import { loadPayout, payouts } from "./payout.ts";

/** Takes all commissions out of a payout that is cancelled or deleted, so that a later run may pay them. */
export async function freeCommissions(
  tx: Transaction,
  store: Store,
  { accountId, id }: Payout,
): Promise<void> {
  const own = { accountId, index: "payout", ownerId: id } as const;
  for (const commission of await loadOwnedRecords([tx, store], commissions, own)) {
    await tx.put(commissions, { ...commission, payoutId: null });
  }
}

/**
 * Takes a commission out of its pending payout, which then pays less. If nothing is left to pay, the payout is
 * cancelled, and its other commissions are free again.
 *
 * @returns the commission without a payout, for the caller to change further
 * @throws Failure `refused` if the payout is no longer pending
 */
export async function removeFromPayout(
  tx: Transaction,
  context: Context,
  commission: Commission,
): Promise<Commission> {
  if (commission.payoutId === null) return commission;
  const before = await loadPayout(tx, commission.accountId, commission.payoutId);
  if (before.status !== "pending") {
    throw new Failure(
      "refused",
      `Commission ${commission.id} is in payout ${before.id}, which is being paid`,
    );
  }
  const free = { ...commission, payoutId: null };
  await tx.put(commissions, free);
  const amount = before.amount - commission.amount;
  const isEmpty = amount <= 0;
  if (isEmpty) await freeCommissions(tx, context.store, before);
  const after: Payout = isEmpty
    ? { ...before, status: "cancelled", paymentsBatchId: null }
    : { ...before, amount, totalInclTax: withTax(amount, before.taxRateHundredths) };
  await tx.put(payouts, after);
  await announce(tx, context, { entity: "payout", before, after });
  return free;
}
