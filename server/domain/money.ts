import * as published from "dinero.js/currencies";
import { textsOf, type Language } from "../languages/languages.ts";

export const UNITS = ["cash", "credits", "points", "free_months", "mon_discount", "discount_per"] as const;

/** The unit of an amount: `cash` in cents, all others in whole units. */
export type Unit = (typeof UNITS)[number];

/** A hundred percent, in ten-thousandths of a percent. */
export const WHOLE = 1_000_000;

/**
 * At most twelve digits, so that sums stay exact.
 *
 * @see docs/spec/money.md "Amounts"
 */
export const MAX_AMOUNT = 999_999_999_999;

/**
 * `amount` times `numerator` over a positive `denominator`, rounded half away from zero. All are integers, and the
 * result is exact for any of them.
 */
export function share(amount: number, numerator: number | bigint, denominator: number | bigint): number {
  const product = BigInt(amount) * BigInt(numerator);
  const divisor = BigInt(denominator);
  const size = product < 0n ? -product : product;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return Number(product < 0n ? -rounded : rounded);
}

/**
 * Splits an amount. The percentages, in ten-thousandths of a percent, are at most a hundred together, and the
 * remainder is the last part. The parts add up to the amount, and none has the opposite sign.
 */
export function cutUp(amount: number, percentages: number[]): number[] {
  const parts: number[] = [];
  let [given, upTo] = [0, 0];
  for (const percentage of percentages) {
    upTo += percentage;
    const part = share(amount, upTo, WHOLE) - given;
    parts.push(part);
    given += part;
  }
  return [...parts, amount - given];
}

/** The decimals of each currency's minor unit. */
const EXPONENTS = new Map(
  Object.values(published).map(({ code, base, exponent }): [code: string, exponent: number] => [
    code,
    // The library counts fifths of an ariary and an ouguiya. ISO 4217 gives both currencies two decimals.
    base === 10 ? exponent : 2,
  ]),
);

/** The number of decimals of a currency by its ISO 4217 code, in capitals, or null for an unknown one. */
export function exponentOf(code: string): number | null {
  return EXPONENTS.get(code) ?? null;
}

/** An amount of a currency's minor unit as a decimal number with a point. */
export function decimalOf(amount: number, currency: string): string {
  return withPoint(amount, exponentOf(currency) ?? 2);
}

/** A number of some unit, such as 1250 cents, as a decimal number with a point: `12.50`. */
export function withPoint(amount: number, decimals: number): string {
  if (decimals === 0) return String(amount);
  const digits = String(amount).padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Whether a text is the ISO 4217 code of a currency, in capitals. */
export function isCurrency(code: string): boolean {
  return EXPONENTS.has(code);
}

/** An amount for readers of a language, such as `$20.00` or `3 points`. `cash` is in minor units. */
export function formatAmount(
  amount: number,
  unit: Unit,
  currency: string,
  language: Language = "en",
): string {
  if (unit !== "cash") return textsOf(language)(`unit.${unit}`, { count: amount });
  return moneyFormat(currency, language)(amount);
}

/**
 * Formats amounts in minor units for readers of a language. The decimals are those of ISO 4217: `Intl` leaves
 * out those no longer in use, for example of forint.
 */
export function moneyFormat(currency: string, language: Language = "en"): (amount: number) => string {
  const decimals = exponentOf(currency) ?? 2;
  const money = new Intl.NumberFormat(language === "en" ? "en-US" : language, {
    style: "currency",
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return (amount) => money.format(amount / 10 ** decimals);
}
