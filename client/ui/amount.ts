import type { components } from "./api/types.ts";
import { money, several } from "./format.ts";

export type Unit = components["schemas"]["Commission"]["unit"];

/** The singular and plural of units other than money. E-mails use the same words. */
export const UNITS: Record<Exclude<Unit, "cash">, [one: string, many: string]> = {
  credits: ["credit", "credits"],
  points: ["point", "points"],
  free_months: ["free month", "free months"],
  mon_discount: ["month of discount", "months of discount"],
  discount_per: ["% discount", "% discount"],
};

/** `€12.50`, `3 free months`. */
export function amountOf({ amount, unit }: { amount: number; unit: Unit }): string {
  return unit === "cash" ? money(amount) : several(amount, ...UNITS[unit]);
}
