import { UNITS, type Unit } from "../money/unit.ts";
import type { Collection, Count } from "../../storage/collection.ts";
import type { Transaction, View } from "../../storage/store.ts";

/** The name of the counters that make up the balances. */
const BALANCE = "balance";

/** Amounts of one unit: in cents for `cash`, otherwise in whole units. */
export interface UnitBalance {
  /** The sum of all approved commissions. */
  earnings: number;
  /** The part that is not yet paid. */
  current: number;
  paid: number;
}

/** A promoter's earnings by unit. Units without earnings or payments are absent. */
export interface Balance {
  units: Partial<Record<Unit, UnitBalance>>;
}

/** The counts of a commission or payout in its promoter's balance. */
export function balanceCounts(
  { promoterId, unit }: { promoterId: number; unit: Unit },
  { earnings, paid }: Omit<UnitBalance, "current">,
): Count[] {
  return [
    [[BALANCE, promoterId, unit, "earnings"], earnings],
    [[BALANCE, promoterId, unit, "paid"], paid],
  ];
}

/** Reads a promoter's balance. */
export async function loadBalance(view: View, accountId: number, promoterId: number): Promise<Balance> {
  const units: Record<string, UnitBalance> = {};
  for await (const sums of view.sums(accountId, [BALANCE, promoterId])) {
    for (const [[unit, part], sum] of sums) {
      const balance = (units[String(unit)] ??= { earnings: 0, current: 0, paid: 0 });
      balance[part as "earnings" | "paid"] = sum;
      balance.current = balance.earnings - balance.paid;
    }
  }
  return { units };
}

/** A promoter's balance before a transaction. The commit fails if another one changes it meanwhile. */
export async function balanceBefore(
  tx: Transaction,
  accountId: number,
  promoterId: number,
): Promise<Balance> {
  const units: Balance["units"] = {};
  for (const unit of UNITS) {
    const earnings = await tx.sum(accountId, [BALANCE, promoterId, unit, "earnings"]);
    const paid = await tx.sum(accountId, [BALANCE, promoterId, unit, "paid"]);
    units[unit] = { earnings, current: earnings - paid, paid };
  }
  return { units };
}

/** What the change of a record adds to one balance. */
export interface BalanceMove {
  promoterId: number;
  unit: Unit;
  part: "earnings" | "paid";
  amount: number;
}

/** What the change of a record adds to the balances of promoters. null: it is new, or was deleted. */
export function balanceMoves<R>(
  { counts }: Collection<R>,
  { before, after }: { before: R | null; after: R | null },
): BalanceMove[] {
  const movesOf = (record: R | null, sign: 1 | -1) =>
    (record === null ? [] : (counts?.(record) ?? []))
      .filter(([[name], amount]) => name === BALANCE && amount !== 0)
      .map(([[, promoterId, unit, part], amount]) => ({ promoterId, unit, part, amount: sign * amount }));
  return [...movesOf(before, -1), ...movesOf(after, 1)] as BalanceMove[];
}

/** A balance after a move. */
export function movedBalance({ units }: Balance, { unit, part, amount }: BalanceMove): Balance {
  const { earnings, paid } = units[unit] ?? { earnings: 0, paid: 0 };
  const next = { earnings, paid, [part]: (part === "paid" ? paid : earnings) + amount };
  return { units: { ...units, [unit]: { ...next, current: next.earnings - next.paid } } };
}
