import { table } from "../../storage/table.ts";
import type { Store } from "../../storage/store.ts";
import type { BillingProvider, WaitingRefund } from "./record.ts";

export const waitingRefunds = table<WaitingRefund>()({
  name: "waiting-refund",
  key: ["provider", "event_id"],
  columns: {
    provider: "text",
    event_id: "text",
    sale_event_id: "text",
    gross_to: "integer",
    created_at: "text",
    kept_at: "text",
  },
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
  { provider, saleEventId }: { provider: BillingProvider; saleEventId: string },
): Promise<WaitingRefund[]> {
  return store.page(waitingRefunds, "payment", accountId, [provider, saleEventId], { limit: 100 });
}

/** How many refunds of a provider wait for their sales. */
export function countWaiting(store: Store, accountId: number, provider: BillingProvider): Promise<number> {
  return store.count(waitingRefunds, "id", accountId, [provider]);
}

/** Forgets a refund that has been applied. */
export function forgetRefund(store: Store, { accountId, provider, eventId }: WaitingRefund): Promise<void> {
  return store.transact((tx) => tx.remove(waitingRefunds, accountId, provider, eventId));
}
