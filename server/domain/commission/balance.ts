import { UNITS, type Unit } from "../money/unit.ts";
import type { Collection, Count } from "../../storage/collection.ts";
import type { View } from "../../storage/store.ts";

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

/**
 * Reads a promoter's balance. If a transaction reads it, the commit fails if another one changes it meanwhile.
 *
 * The counters are read by key, because each sign-up shows a balance and a listing costs several times as much.
 */
export async function loadBalance(
  reader: Pick<View, "sum">,
  accountId: number,
  promoterId: number,
): Promise<Balance> {
  const read = (unit: Unit, part: string) => reader.sum(accountId, [BALANCE, promoterId, unit, part]);
  const units: Balance["units"] = {};
  await Promise.all(
    UNITS.map(async (unit) => {
      const [earnings, paid] = await Promise.all([read(unit, "earnings"), read(unit, "paid")]);
      if (earnings !== 0 || paid !== 0) units[unit] = { earnings, current: earnings - paid, paid };
    }),
  );
  return { units };
}

/** The amounts that the change of a record adds to one balance. */
export interface BalanceMove {
  promoterId: number;
  unit: Unit;
  part: "earnings" | "paid";
  amount: number;
}

/** The amounts that the change of a record adds to promoters' balances. A null record: it is new, or was deleted. */
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
