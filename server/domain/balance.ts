import type { Unit } from "../records.ts";
import type { Count } from "../storage/collection.ts";
import type { View } from "../storage/store.ts";

/** Amounts of one unit, in cents for `cash`, else in whole units. */
export interface UnitBalance {
  /** All that was approved. */
  earnings: number;
  /** What is still to be paid. */
  current: number;
  paid: number;
}

/** What a promoter has earned, by unit. A unit of which nothing was earned or paid is absent. */
export interface Balance {
  units: Partial<Record<Unit, UnitBalance>>;
}

/** What a commission or a payout adds to its promoter's balance. */
export function balanceCounts(
  { promoterId, unit }: { promoterId: number; unit: Unit },
  { earnings, paid }: Omit<UnitBalance, "current">,
): Count[] {
  return [
    [["balance", promoterId, unit, "earnings"], earnings],
    [["balance", promoterId, unit, "paid"], paid],
  ];
}

/** A promoter's balance. */
export async function loadBalance(view: View, accountId: number, promoterId: number): Promise<Balance> {
  const units: Record<string, UnitBalance> = {};
  for await (const sums of view.sums(accountId, ["balance", promoterId])) {
    for (const [[unit, part], sum] of sums) {
      const balance = (units[String(unit)] ??= { earnings: 0, current: 0, paid: 0 });
      balance[part as "earnings" | "paid"] = sum;
      balance.current = balance.earnings - balance.paid;
    }
  }
  return { units };
}
