import * as published from "dinero.js/currencies";

/**
 * The decimals of currencies that have other than two. Browsers disagree: most write forint and dinars as people use
 * them, without decimals, and some as ISO 4217 defines them. The server counts as ISO 4217 does.
 */
const UNUSUAL = new Map(
  Object.values(published)
    .filter(({ base, exponent }) => base === 10 && exponent !== 2)
    .map(({ code, exponent }): [code: string, digits: number] => [code, exponent]),
);

/** How many decimals a currency has in ISO 4217, and so in every amount that the server sends and takes. */
export function digitsOf(currency: string): number {
  return UNUSUAL.get(currency) ?? 2;
}

/** An amount of a currency with all its decimals, for `Intl.NumberFormat`. */
export function styleOf(currency: string): Intl.NumberFormatOptions {
  const digits = digitsOf(currency);
  return { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits };
}
