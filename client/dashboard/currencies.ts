/** The names of currencies in the reader's language. */
const NAMES = new Intl.DisplayNames(undefined, { type: "currency" });

/** The currencies to choose from. They include `known`, even if the browser does not know it. */
export function currencyOptions(known: string): [code: string, words: string][] {
  const codes = new Set([known, ...Intl.supportedValuesOf("currency")]);
  return [...codes].toSorted().map((code) => [code, `${code} – ${NAMES.of(code) ?? code}`]);
}
