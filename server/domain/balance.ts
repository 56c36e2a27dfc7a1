import type { Balance } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Store } from "../storage/store.ts";

/** One record per promoter, written in the same commit as each commission and payout. */
export const balances = collection<Balance>()({
  name: "balance",
  id: (balance) => [balance.promoterId],
  claims: {},
  indexes: {},
});

/** A promoter's balance; no units where nothing was ever earned. */
export async function loadBalance(store: Store, accountId: number, promoterId: number): Promise<Balance> {
  const balance = await store.get(balances, accountId, promoterId);
  return balance ?? { accountId, promoterId, units: {} };
}
