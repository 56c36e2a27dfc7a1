import { table } from "../../storage/table.ts";
import type { Reader, Store } from "../../storage/store.ts";
import type { BillingProvider, WaitingCancellation } from "./record.ts";

export const waitingCancellations = table<WaitingCancellation>()({
  name: "waiting-cancellation",
  key: ["provider", "subscription_id"],
  columns: { provider: "text", subscription_id: "text", kept_at: "text" },
  indexes: { age: { on: ["kept_at"] } },
});

/** The cancellation of a subscription that waits for its first payment. null: none. */
export function findWaitingCancellation(
  reader: Reader,
  accountId: number,
  { provider, subscriptionId }: { provider: BillingProvider; subscriptionId: string },
): Promise<WaitingCancellation | null> {
  return reader.get(waitingCancellations, accountId, provider, subscriptionId);
}

/** Forgets a cancellation that has been recorded. */
export function forgetCancellation(
  store: Store,
  { accountId, provider, subscriptionId }: WaitingCancellation,
): Promise<void> {
  return store.transact((tx) => tx.remove(waitingCancellations, accountId, provider, subscriptionId));
}
