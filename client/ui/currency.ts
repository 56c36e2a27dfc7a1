import * as published from "dinero.js/currencies";

/**
 * The decimals of currencies without exactly two. Browsers disagree: most format forint and dinars as people use them,
 * without decimals, some as ISO 4217 defines them. The server follows ISO 4217.
 */
const UNUSUAL = new Map(
  Object.values(published)
    .filter(({ base, exponent }) => base === 10 && exponent !== 2)
    .map(({ code, exponent }): [code: string, digits: number] => [code, exponent]),
);

/** The decimals of a currency in ISO 4217, and so in all amounts of the API. */
export function digitsOf(currency: string): number {
  return UNUSUAL.get(currency) ?? 2;
}

/** An amount of a currency with all its decimals, for `Intl.NumberFormat`. */
export function styleOf(currency: string): Intl.NumberFormatOptions {
  const digits = digitsOf(currency);
  return { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
}
