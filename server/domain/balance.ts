import { UNITS, type Unit } from "../records.ts";
import type { Count } from "../storage/collection.ts";
import type { View } from "../storage/store.ts";

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

/**
 * A promoter's balance. Each counter is read by its key, because every answer to a sign-up shows it, and a listing
 * costs more than these few reads.
 */
export async function loadBalance(view: View, accountId: number, promoterId: number): Promise<Balance> {
  const read = (unit: Unit, part: keyof Omit<UnitBalance, "current">) =>
    view.sum(accountId, ["balance", promoterId, unit, part]);
  // All at once, because a remote store answers them in one round trip.
  const sums = await Promise.all(UNITS.flatMap((unit) => [read(unit, "earnings"), read(unit, "paid")]));
  const units: Balance["units"] = {};
  UNITS.forEach((unit, at) => {
    const [earnings = 0, paid = 0] = sums.slice(2 * at);
    if (earnings !== 0 || paid !== 0) units[unit] = { earnings, current: earnings - paid, paid };
  });
  return { units };
}
