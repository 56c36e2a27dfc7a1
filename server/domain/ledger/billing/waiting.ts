import { keyOf } from "../../../storage/record.ts";
import type { Reader, Store, Transaction, View } from "../../../storage/store.ts";
import { integer, table, text, time, type RowOf, type Table } from "../../../storage/table.ts";
import type { BillingProvider } from "./connection.ts";

const waitingRefundFields = {
  provider: text<BillingProvider>(),
  sale_event_id: text(),
  event_id: text(),
  /** The refunded part of the payment, with tax: the sum of its refunds before and after this one. */
  gross_from: integer(),
  gross_to: integer(),
  /** Without tax. Null: the payment's own tax share applies. */
  net_amount: integer().nullable(),
  /** What was paid, with tax. Null: unknown. */
  paid_amount: integer().nullable(),
  currency: text(),
  kind: text<"refund" | "dispute" | "reversal">(),
  /** When the money moved. */
  created_at: time(),
  kept_at: time(),
};

/** A refund whose sale is not known yet. */
export type WaitingRefund = RowOf<typeof waitingRefundFields>;

export const waitingRefunds = table("waiting-refund", waitingRefundFields, {
  key: ["provider", "event_id"],
  indexes: {
    /** In the order in which the money moved. */
    payment: { on: ["provider", "sale_event_id", "created_at", "gross_to"] },
    age: { on: ["kept_at"] },
  },
});

/** The refunds that wait for the sale of a payment. */
export function refundsWaitingFor(
  store: Store,
  accountId: number,
  { provider, sale_event_id }: { provider: BillingProvider; sale_event_id: string },
): Promise<WaitingRefund[]> {
  return store.page(waitingRefunds, "payment", accountId, [provider, sale_event_id], { limit: 100 });
}

/** The number of a provider's refunds that wait for their sales. */
export function countWaiting(view: View, accountId: number, provider: BillingProvider): Promise<number> {
  return view.count(waitingRefunds, "id", accountId, [provider]);
}

/** Removes a refund that has been applied. */
export function forgetRefund(store: Store, { account_id, provider, event_id }: WaitingRefund): Promise<void> {
  return store.transact((tx) => tx.remove(waitingRefunds, account_id, provider, event_id));
}

const waitingCancellationFields = {
  provider: text<BillingProvider>(),
  /** The provider's id. It is also the event id of the cancellation. */
  subscription_id: text(),
  /** When the subscription ended. */
  created_at: time(),
  kept_at: time(),
};

/** A cancellation of a subscription whose first payment is not known yet. */
type WaitingCancellation = RowOf<typeof waitingCancellationFields>;

export const waitingCancellations = table("waiting-cancellation", waitingCancellationFields, {
  key: ["provider", "subscription_id"],
  indexes: { age: { on: ["kept_at"] } },
});

/** The cancellation of a subscription that waits for its first payment, or null. */
export function findWaitingCancellation(
  reader: Reader,
  accountId: number,
  { provider, subscription_id }: { provider: BillingProvider; subscription_id: string },
): Promise<WaitingCancellation | null> {
  return reader.get(waitingCancellations, accountId, provider, subscription_id);
}

/** Removes a cancellation that has been recorded. */
export function forgetCancellation(
  store: Store,
  { account_id, provider, subscription_id }: WaitingCancellation,
): Promise<void> {
  return store.transact((tx) => tx.remove(waitingCancellations, account_id, provider, subscription_id));
}

/** An event that waits for its payment. */
interface Waiting {
  account_id: number;
  kept_at: string;
}

/** Each new event removes old ones, so that events about people whom no promoter referred never pile up. */
const SWEPT_AT_ONCE = 5;

/** Providers repeat an event for three days, and list those of thirty days. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1_000;

/**
 * Stores an event until its payment is recorded, and drops the oldest expired ones. `isNeeded`: whether one
 * must be kept for longer.
 */
export async function keepWaiting<R extends Waiting>(
  tx: Transaction,
  into: Table<R, never, "age">,
  { event, now, isNeeded }: { event: R; now: Date; isNeeded?: (event: R) => Promise<boolean> },
): Promise<void> {
  await tx.put(into, event);
  const oldest = await tx.view.page(into, "age", event.account_id, [], { limit: SWEPT_AT_ONCE });
  for (const each of oldest) {
    if (now.getTime() - Date.parse(each.kept_at) < KEPT_MS) continue;
    // Its time starts again, so that it does not hide others from the sweep.
    if (await isNeeded?.(each)) await tx.put(into, { ...each, kept_at: now.toISOString() });
    else await tx.remove(into, each.account_id, ...keyOf(into, each));
  }
}
