import { collection } from "../../storage/collection.ts";
import { digest } from "../../storage/keys.ts";
import type { Store } from "../../storage/store.ts";
import type { BillingProvider, WaitingRefund } from "./record.ts";

export const waitingRefunds = collection<WaitingRefund>()({
  name: "waiting-refund",
  id: ({ provider, eventId }) => [provider, digest(eventId)],
  claims: {},
  indexes: {
    payment: ({ provider, saleEventId }) => [provider, digest(saleEventId)],
    age: ({ keptAt }) => [Date.parse(keptAt)],
  },
});

/** The refunds that wait for the sale of a payment. */
export function refundsWaitingFor(
  store: Store,
  accountId: number,
  { provider, saleEventId }: { provider: BillingProvider; saleEventId: string },
): Promise<WaitingRefund[]> {
  return store.page(waitingRefunds, "payment", accountId, [provider, digest(saleEventId)], { limit: 100 });
}

/** How many refunds of a provider wait for their sales. */
export function countWaiting(store: Store, accountId: number, provider: BillingProvider): Promise<number> {
  return store.count(waitingRefunds, "id", accountId, [provider]);
}

/** Forgets a refund that has been applied. */
export function forgetRefund(store: Store, { accountId, provider, eventId }: WaitingRefund): Promise<void> {
  return store.transact((tx) => tx.remove(waitingRefunds, accountId, provider, digest(eventId)));
}
