import { collection } from "../../storage/collection.ts";
import { digest } from "../../storage/keys.ts";
import type { Reader, Store } from "../../storage/store.ts";
import type { BillingProvider, WaitingCancellation } from "./record.ts";

export const waitingCancellations = collection<WaitingCancellation>()({
  name: "waiting-cancellation",
  id: ({ provider, subscriptionId }) => [provider, digest(subscriptionId)],
  claims: {},
  indexes: { age: ({ keptAt }) => [Date.parse(keptAt)] },
});

/** The cancellation of a subscription that waits for its first payment. null: none. */
export function findWaitingCancellation(
  reader: Reader,
  accountId: number,
  { provider, subscriptionId }: { provider: BillingProvider; subscriptionId: string },
): Promise<WaitingCancellation | null> {
  return reader.get(waitingCancellations, accountId, provider, digest(subscriptionId));
}

/** Forgets a cancellation that has been recorded. */
export function forgetCancellation(store: Store, waiting: WaitingCancellation): Promise<void> {
  return store.transact((tx) =>
    tx.remove(waitingCancellations, waiting.accountId, ...waitingCancellations.id(waiting)),
  );
}
