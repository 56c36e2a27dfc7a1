import { refused } from "../api/refusal.ts";
import { digitsOf } from "../currency.ts";
import { writing } from "../format.ts";

/**
 * Parses an amount to the smallest units of a currency, by default the account's: `12.5` and `12,50` are 1250 cents. Returns
 * null for anything else. The digits are moved as text, because 1.1 × 100 is not 110 in binary.
 */
export function centsOf(typed: string, currency: string = writing.value.currency): number | null {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:[.,](\d+))?$/.exec(typed.trim()) ?? [];
  const digits = digitsOf(currency);
  if (whole === "" || fraction.length > digits) return null;
  return Number(`${sign}${whole}${fraction.padEnd(digits, "0")}`);
}

/** Parses the amount in a field to the smallest units. @throws Refusal at the field if it is not an amount */
export function requiredCents(field: string, typed: string, currency?: string): number {
  const cents = centsOf(typed, currency);
  if (cents !== null) return cents;
  const fields = { [field]: ["is not an amount"] };
  throw refused({ status: null, code: "invalid", message: "Nothing was saved", fields, requestId: null });
}

/** Formats an amount for a field: `12.50`. The digits are moved as text. */
export function typedAmount(cents: number, currency: string = writing.value.currency): string {
  const digits = digitsOf(currency);
  if (digits === 0) return String(cents);
  const text = String(cents).padStart(digits + 1, "0");
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
