import type { Unit } from "../money/unit.ts";
import type { Count } from "../../storage/collection.ts";
import type { View } from "../../storage/store.ts";

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
    [["balance", promoterId, unit, "earnings"], earnings],
    [["balance", promoterId, unit, "paid"], paid],
  ];
}

/** Reads a promoter's balance. */
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
