import type { Tone } from "../../ui/feedback/badge.tsx";
import { count, money, several } from "../../ui/format.ts";
import type { Commission } from "./query.ts";

type Unit = Commission["unit"];

/** The states of a commission, in words. */
export const STATUSES: Record<Commission["status"], { words: string; tone: Tone }> = {
  pending: { words: "To approve", tone: "warn" },
  approved: { words: "Approved", tone: "good" },
  denied: { words: "Denied", tone: "bad" },
};

/** What else promoters can be given than money. */
const UNITS: Record<Exclude<Unit, "cash">, (amount: number) => string> = {
  credits: (amount) => several(amount, "credit"),
  points: (amount) => several(amount, "point"),
  free_months: (amount) => several(amount, "free month"),
  mon_discount: (amount) => `${count(amount)} off each month`,
  discount_per: (amount) => `${count(amount)}% off`,
};

/** `€12.50`, `3 free months`. */
export function amountOf({ amount, unit }: { amount: number; unit: Unit }): string {
  return unit === "cash" ? money(amount) : UNITS[unit](amount);
}
