import { collection } from "../../storage/collection.ts";
import { digest } from "../../storage/keys.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import type { BillingProvider, WaitingRefund } from "./record.ts";

/** Providers repeat an event for three days, and list those of thirty days. */
const KEPT_MS = 40 * 24 * 60 * 60 * 1_000;
/** Each new one makes room for itself, so that refunds of people whom nobody referred never pile up. */
const SWEPT_AT_ONCE = 5;

export const waitingRefunds = collection<WaitingRefund>()({
  name: "waiting-refund",
  id: ({ provider, eventId }) => [provider, digest(eventId)],
  claims: {},
  indexes: {
    payment: ({ provider, saleEventId }) => [provider, digest(saleEventId)],
    age: ({ keptAt }) => [Date.parse(keptAt)],
  },
});

/** Keeps a refund until its sale is recorded, and drops the oldest ones whose time is over. */
export async function keepRefund(tx: Transaction, refund: WaitingRefund, now: Date): Promise<void> {
  await tx.put(waitingRefunds, refund);
  const oldest = await tx.view.page(waitingRefunds, "age", refund.accountId, [], { limit: SWEPT_AT_ONCE });
  for (const { provider, eventId, keptAt } of oldest) {
    if (now.getTime() - Date.parse(keptAt) < KEPT_MS) continue;
    await tx.remove(waitingRefunds, refund.accountId, provider, digest(eventId));
  }
}

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
