import { signal } from "@preact/signals";
import format, { type CompiledMessage, type FormatValues } from "icu-minify/format";
import type { Catalogue, en } from "./en.ts";

type Texts = typeof en;
type Key = keyof Texts;

/** The texts of one language after the build, which parses them. */
export type Messages = Record<string, CompiledMessage>;

const spoken = signal<{ language: string; messages: Messages }>({ language: "en", messages: {} });

/** The locale for `Intl`. Undefined: as the browser is set. */
export const locale = signal<string | undefined>(undefined);

/**
 * The locale for amounts of money, as the server writes them in its sentences: `$9.90` on the whole page, and not `US$9.90`
 * beside it for a British browser. Undefined: as the browser is set.
 */
export const moneyLocale = signal<string | undefined>(undefined);

/** The language of the page. */
export function language(): string {
  return spoken.value.language;
}

/** Changes the language of the page. Everything on it is rendered again. */
export function setMessages(code: string, messages: object, forIntl?: string): void {
  spoken.value = { language: code, messages: messages as Messages };
  locale.value = forIntl;
  moneyLocale.value = forIntl === undefined || code !== "en" ? forIntl && code : "en-US";
}

/**
 * A text in the language of the page: `t("links.remove.of", { name })`. Counts in plurals are formatted; other figures,
 * amounts and dates must be formatted before.
 *
 * It must be called while something is rendered or done, not when a file is loaded, because there are no texts yet.
 */
export function t<K extends Key>(key: K, ...given: ArgumentsOf<Texts[K]>): string {
  const { messages } = spoken.value;
  const [values] = given as [FormatValues<string>?];
  const message = messages[key];
  return message === undefined
    ? key
    : (format<string>(message, "", values, { formatters: FORMATTERS }) as string);
}

/** The server names the site that a link may lead to. */
const PAGE_OF = /^must be a page of (\S+)$/;
/** The server names a country in English, and the letters before its VAT numbers: its code, except for Greece. */
const VAT_NUMBER_OF = /^is not a VAT number of .+, which begins with (\w\w)$/;

/** A text of the server in the language of the page. One that the catalogue does not have stays. */
export function said(text: string): string {
  const { messages } = spoken.value;
  // The dashboard, which is in the server's own language, has no such texts.
  const has = (key: Key) => key in messages;
  const [, site] = PAGE_OF.exec(text) ?? [];
  if (site !== undefined && has("said: must be a page of {site}"))
    return t("said: must be a page of {site}", { site });
  const [, prefix] = VAT_NUMBER_OF.exec(text) ?? [];
  if (prefix !== undefined && has("said: is not a VAT number of {country}, which begins with {prefix}")) {
    const country = new Intl.DisplayNames(locale.value, { type: "region" }).of(
      prefix === "EL" ? "GR" : prefix,
    );
    return t("said: is not a VAT number of {country}, which begins with {prefix}", {
      country: country ?? prefix,
      prefix,
    });
  }
  const message = messages[`said: ${text}`];
  return typeof message === "string" ? message : text;
}

const FORMATTERS = {
  getNumberFormat: () => new Intl.NumberFormat(locale.value),
  getPluralRules: () => new Intl.PluralRules(spoken.value.language),
  getDateTimeFormat: () => new Intl.DateTimeFormat(locale.value),
};

/** The second argument of `t`, which only texts with placeholders have. */
type ArgumentsOf<S extends string> = keyof ValuesOf<S> extends never ? [] : [values: ValuesOf<S>];

/** The placeholders of a text: `{name}` takes a text, `{count, plural, …}` a number. */
type ValuesOf<S extends string> = S extends `${string}{${infer Head}}${infer Rest}`
  ? Head extends `${infer Name}, plural, ${string}`
    ? Record<Name, number> & ValuesOf<AfterForms<Rest>>
    : Record<Head, string> & ValuesOf<Rest>
  : unknown;

/** The text after the forms of a plural. */
type AfterForms<S extends string> = S extends `}${infer After}`
  ? After
  : S extends `${string}{${string}}${infer More}`
    ? AfterForms<More>
    : "";

/** A key, for tables of texts such as the names of states. */
export type TextKey = {
  [K in Key]: keyof ValuesOf<Texts[K]> extends never ? K : never;
}[Key];

/** The keys of a group, such as `state.`, without its name. */
export type KeysOf<Group extends string> = TextKey extends infer K
  ? K extends `${Group}.${infer Name}`
    ? Name
    : never
  : never;

export type { Catalogue };
