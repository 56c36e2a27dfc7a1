import type { Unit } from "./unit.ts";
import { exponentOf } from "./currency.ts";

/** What other units are called after a number. */
const NAMES: Record<Exclude<Unit, "cash">, string> = {
  credits: "credits",
  points: "points",
  free_months: "free months",
  mon_discount: "months of discount",
  discount_per: "% discount",
};

/** An amount for readers of English, such as `$20.00` or `3 points`. `cash` is in minor units. */
export function formatAmount(amount: number, unit: Unit, currency: string): string {
  if (unit !== "cash") return `${amount} ${NAMES[unit]}`;
  const money = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return money.format(amount / 10 ** (exponentOf(currency) ?? 2));
}
