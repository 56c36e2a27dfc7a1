import { digitsOf, writing } from "../format.ts";

/**
 * The smallest units of the account's currency in what somebody typed: `12.5` and `12,50` are 1250 cents. null: it is
 * not an amount. The digits are moved as text, because 1.1 × 100 is not 110 in binary.
 */
export function centsOf(typed: string): number | null {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:[.,](\d+))?$/.exec(typed.trim()) ?? [];
  const digits = digitsOf(writing.value.currency);
  if (whole === "" || fraction.length > digits) return null;
  return Number(`${sign}${whole}${fraction.padEnd(digits, "0")}`);
}
