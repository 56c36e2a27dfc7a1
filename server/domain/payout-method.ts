import type { PayoutMethod } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Reader } from "../storage/store.ts";

/** The selected one is found by a claim, so that a promoter can have but one. */
export const payoutMethods = collection<PayoutMethod>()({
  name: "payout-method",
  id: (payoutMethod) => [payoutMethod.id],
  claims: {
    selected: ({ promoterId, isSelected }) => (isSelected ? [promoterId] : null),
  },
  indexes: {
    promoter: ({ promoterId }) => [promoterId],
  },
});

/** The way that a promoter has chosen to be paid by, or null. */
export function findSelectedPayoutMethod(
  reader: Reader,
  accountId: number,
  promoterId: number,
): Promise<PayoutMethod | null> {
  return reader.find(payoutMethods, "selected", accountId, [promoterId]);
}
