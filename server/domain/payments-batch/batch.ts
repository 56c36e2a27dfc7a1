import { Failure } from "../../failure.ts";
import { collection, listCounts } from "../../storage/collection.ts";
import { findPage, type Found, type Window } from "../../storage/listing/page-search.ts";
import type { Reader, Store, View } from "../../storage/store.ts";
import type { PaymentsBatch } from "./record.ts";

export const paymentsBatches = collection<PaymentsBatch>()({
  name: "payments-batch",
  id: (batch) => [batch.id],
  claims: {},
  indexes: {},
  counts: () => listCounts("payments-batch", {}),
});

/** How many batches a list shows. */
const LISTED = 1_000;

/** @throws Failure `not_found` */
export async function loadPaymentsBatch(
  reader: Reader,
  accountId: number,
  id: number,
): Promise<PaymentsBatch> {
  const batch = await reader.get(paymentsBatches, accountId, id);
  if (batch === null) throw new Failure("not_found", "Payments batch not found.");
  return batch;
}

/** An account's batches, newest first. */
export function listPaymentsBatches(store: Store, accountId: number): Promise<PaymentsBatch[]> {
  return store.page(paymentsBatches, "id", accountId, [], { limit: LISTED, reverse: true });
}

/** A page of an account's batches, newest first. */
export function findPaymentsBatches(
  store: Store,
  accountId: number,
  window: Window,
): Promise<Found<PaymentsBatch>> {
  return findPage(store, paymentsBatches, { accountId, index: "id", start: [], reverse: true, ...window });
}

/** The sum of a batch's payouts with tax, and the number of their promoters. */
export interface BatchTotals {
  totalInclTax: number;
  promotersCount: number;
}

/** Adds up the counters that the payouts of a batch keep. */
export async function loadBatchTotals(view: View, { accountId, id }: PaymentsBatch): Promise<BatchTotals> {
  const promoters = new Set<unknown>();
  let totalInclTax = 0;
  for await (const sums of view.sums(accountId, ["payout.batched", id])) {
    for (const [[promoterId], sum] of sums) {
      promoters.add(promoterId);
      totalInclTax += sum;
    }
  }
  return { totalInclTax, promotersCount: promoters.size };
}

/** The name of a batch in its files and at the bank. */
export function batchReference({ id }: Pick<PaymentsBatch, "id">): string {
  return `BATCH-${id}`;
}
