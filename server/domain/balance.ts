import type { Balance, Unit, UnitBalance } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Store, Transaction } from "../storage/store.ts";

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

/** Adds to, or takes from, what a promoter has earned in one unit. */
export async function addToBalance(
  tx: Transaction,
  { accountId, promoterId }: { accountId: number; promoterId: number },
  { unit, earnings = 0, current = 0, paid = 0 }: Partial<UnitBalance> & { unit: Unit },
): Promise<void> {
  const balance = (await tx.get(balances, accountId, promoterId)) ?? { accountId, promoterId, units: {} };
  const before = balance.units[unit] ?? { earnings: 0, current: 0, paid: 0 };
  const after = {
    earnings: before.earnings + earnings,
    current: before.current + current,
    paid: before.paid + paid,
  };
  await tx.put(balances, { ...balance, units: { ...balance.units, [unit]: after } });
}
