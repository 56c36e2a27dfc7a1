import type { ComponentProps } from "preact";
import { locale, t } from "../../languages/messages.ts";
import { Select } from "./field.tsx";

/** A choice of a country by its name. The value is its two-letter code. */
export function CountryField<N extends string>(props: Omit<ComponentProps<typeof Select<N>>, "options">) {
  const known = countries();
  const chosen = props.form.values[props.name].value;
  // A text that came by the API or a file stays until a country is chosen.
  const isUnknown = chosen !== "" && known.every(([code]) => code !== chosen);
  const unknown: [string, string][] = isUnknown ? [[chosen, chosen]] : [];
  return <Select {...props} options={[["", t("bank.country.choose")], ...unknown, ...known]} />;
}

/** Groups of countries, and codes for what is unknown. */
const NO_COUNTRIES = new Set(["EU", "EZ", "UN", "QO", "ZZ", "XA", "XB"]);

/** All countries in the reader's language, sorted by name. Former codes, such as DD, stand for countries listed already. */
function countries(): [code: string, name: string][] {
  const names = new Intl.DisplayNames(locale.value, { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes
    .filter((code) => Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`)
    .map((code): [string, string | undefined] => [code, NO_COUNTRIES.has(code) ? undefined : names.of(code)])
    .filter((row): row is [string, string] => row[1] !== undefined)
    .toSorted(([, one], [, other]) => one.localeCompare(other));
}
