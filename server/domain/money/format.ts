import type { Unit } from "./unit.ts";
import { exponentOf } from "./currency.ts";

/** The names of other units after one, and after any other number. */
const NAMES: Record<Exclude<Unit, "cash">, [one: string, many: string]> = {
  credits: ["credit", "credits"],
  points: ["point", "points"],
  free_months: ["free month", "free months"],
  mon_discount: ["month of discount", "months of discount"],
  discount_per: ["% discount", "% discount"],
};

/** An amount for readers of English, such as `$20.00` or `3 points`. `cash` is in minor units. */
export function formatAmount(amount: number, unit: Unit, currency: string): string {
  if (unit !== "cash") return `${amount} ${NAMES[unit][amount === 1 ? 0 : 1]}`;
  return moneyFormat(currency)(amount);
}

/**
 * Writes amounts in minor units for readers of English. The decimals are those of ISO 4217, in which amounts are
 * counted: `Intl` leaves out the ones that people no longer use, for example of forint.
 */
export function moneyFormat(currency: string): (amount: number) => string {
  const decimals = exponentOf(currency) ?? 2;
  const money = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return (amount) => money.format(amount / 10 ** decimals);
}
