import { money, several } from "../ui/format.ts";
import { UNITS } from "./words.ts";

/** An amount of money, or of another unit. */
export function Amount({ amount, unit }: { amount: number; unit: string }) {
  return <>{unit === "cash" ? money(amount) : several(amount, ...(UNITS[unit] ?? [unit, unit]))}</>;
}
