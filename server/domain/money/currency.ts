import * as published from "dinero.js/currencies";

/** The decimals of each currency's minor unit. */
const EXPONENTS = new Map(
  Object.values(published).map(({ code, base, exponent }): [code: string, exponent: number] => [
    code,
    // The library counts fifths of an ariary and an ouguiya. ISO 4217 gives both currencies two decimals.
    base === 10 ? exponent : 2,
  ]),
);

/** The number of decimals of a currency by its ISO 4217 code, in capitals. null: there is no such currency. */
export function exponentOf(code: string): number | null {
  return EXPONENTS.get(code) ?? null;
}

/** Whether a text is the ISO 4217 code of a currency, in capitals. */
export function isCurrency(code: string): boolean {
  return EXPONENTS.has(code);
}
