import type { components } from "./api/types.ts";
import { money } from "./format.ts";
import { t } from "../languages/messages.ts";

export type Unit = components["schemas"]["Commission"]["unit"];

/** `€12.50`, `3 free months`. */
export function amountOf({ amount, unit }: { amount: number; unit: Unit }): string {
  return unit === "cash" ? money(amount) : t(`unit.${unit}`, { count: amount });
}
