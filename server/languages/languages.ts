import compile from "icu-minify/compile";
import format, { type CompiledMessage } from "icu-minify/format";
import { de } from "./de.ts";
import { en, type Catalogue } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { he } from "./he.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

/** The languages of pages and e-mails for promoters, by ISO 639 code. A further language is a line here. */
export const CATALOGUES = { en, de, fr, es, pt, ja, he } satisfies Record<string, Catalogue>;

export type Language = keyof typeof CATALOGUES;

export const LANGUAGES = Object.keys(CATALOGUES) as [Language, ...Language[]];

const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["he"] satisfies Language[]);

/** The direction of a language's script, for the `dir` of HTML. */
export function directionOf(language: Language): "rtl" | "ltr" {
  return RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
}

/**
 * The language that a browser prefers among ours, or null if it prefers none of them: `de-AT,de;q=0.9,en;q=0.5`.
 *
 * @see RFC 9110, 12.5.4
 */
export function preferredLanguage(acceptLanguage: string | null): Language | null {
  const wanted = (acceptLanguage ?? "").split(",").map((part, at) => {
    const [range = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return {
      code: range.toLowerCase().split("-")[0] ?? "",
      weight: quality === undefined ? 1 : Number(quality),
      at,
    };
  });
  const known = wanted
    .filter(({ code, weight }) => Object.hasOwn(CATALOGUES, code) && weight > 0)
    .toSorted((one, other) => other.weight - one.weight || one.at - other.at);
  return (known[0]?.code as Language | undefined) ?? null;
}

export type TextKey = keyof Catalogue["texts"];

/** Gives a text by its key, with its placeholders filled in. Counts in plurals are formatted. */
export type Say = (key: TextKey, values?: Record<string, string | number>) => string;

/** The texts of a language. A message is parsed when it is first needed. */
export function textsOf(language: Language): Say {
  const { texts } = CATALOGUES[language];
  return (key, values) => {
    const name = `${language} ${key}`;
    const message = parsed.get(name) ?? compile(texts[key]);
    parsed.set(name, message);
    return format<string>(message, language, values, { formatters: FORMATTERS }) as string;
  };
}

/** `20%` from 20, with at most four decimals. */
export function percentIn(language: Language, percent: number): string {
  const style = { style: "percent", maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(language, style).format(percent / 100);
}

const parsed = new Map<string, CompiledMessage>();

const FORMATTERS = {
  getNumberFormat: (...given: ConstructorParameters<typeof Intl.NumberFormat>) =>
    new Intl.NumberFormat(...given),
  getPluralRules: (...given: ConstructorParameters<typeof Intl.PluralRules>) =>
    new Intl.PluralRules(...given),
  getDateTimeFormat: (...given: ConstructorParameters<typeof Intl.DateTimeFormat>) =>
    new Intl.DateTimeFormat(...given),
};
