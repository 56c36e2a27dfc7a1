import { formatAmount, UNITS, type Unit } from "../../domain/money.ts";
import { statusOf } from "./commissions.ts";
import type { Step } from "./keep.ts";
import type { SourceCommission, SourcePayout } from "./model.ts";

/** Adds up the source's commissions by payout. */
export interface PayoutSums {
  note: (said: SourceCommission) => void;
  /** Sentences about payouts that are not the sum of their commissions. */
  differences: () => { promoterId: string; text: string }[];
}

/** By currency, or by unit if it is not cash. */
type Amounts = Map<string, number>;

export function newPayoutSums({ account, plan }: Pick<Step, "account" | "plan">): PayoutSums {
  const ofPayouts = new Map<string, Amounts>();
  /** What was paid without a payout, by promoter. */
  const withoutPayout = new Map<string, Amounts>();
  const keyOf = ({ unit, currency }: Pick<SourcePayout, "unit" | "currency">) =>
    unit === "cash" ? (currency ?? account.currency).toUpperCase() : unit;

  function note(said: SourceCommission): void {
    if (statusOf(said) !== "approved") return;
    const payout = plan.payouts.get(said.payoutId ?? "");
    if (payout !== undefined) addTo(ofPayouts, payout.id, { key: keyOf(said), amount: said.amount });
    else if (said.isPaid) addTo(withoutPayout, said.promoterId, { key: keyOf(said), amount: said.amount });
  }

  /** Every payout is the sum of its commissions. Those without any must be the sum of what was paid without a payout. */
  function differences() {
    const found: { promoterId: string; text: string }[] = [];
    const unnamed = new Map<string, Amounts>();
    for (const said of plan.payouts.values()) {
      if (said.status === "cancelled" || said.amount === 0) continue;
      const { id, promoterId, amount, status } = said;
      const key = keyOf(said);
      const sums = ofPayouts.get(id);
      if (sums === undefined) {
        if (status === "completed") addTo(unnamed, promoterId, { key, amount });
      } else if (sums.size > 1 || sums.get(key) !== amount) {
        const parts = [...sums].map(([each, sum]) => shown(sum, each)).join(" and ");
        found.push({
          promoterId,
          text: `payout ${id} is ${shown(amount, key)} there, and its commissions are ${parts}`,
        });
      }
    }
    for (const [promoterId, amounts] of unnamed) {
      for (const [key, amount] of amounts) {
        const paid = withoutPayout.get(promoterId)?.get(key) ?? 0;
        const text = `payouts of ${shown(amount, key)} name no commissions, and ${shown(paid, key)} were paid without a payout`;
        if (paid !== amount) found.push({ promoterId, text });
      }
    }
    return found;
  }

  return { note, differences };
}

function addTo(
  sums: Map<string, Amounts>,
  name: string,
  { key, amount }: { key: string; amount: number },
): void {
  const amounts = sums.get(name) ?? new Map<string, number>();
  sums.set(name, amounts.set(key, (amounts.get(key) ?? 0) + amount));
}

function shown(amount: number, key: string): string {
  const isUnit = (UNITS as readonly string[]).includes(key);
  return isUnit ? formatAmount(amount, key as Unit, "USD") : formatAmount(amount, "cash", key);
}
