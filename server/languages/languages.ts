import compile from "icu-minify/compile";
import format, { type CompiledMessage } from "icu-minify/format";
import { de } from "./de.ts";
import { en, type Catalogue } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { he } from "./he.ts";
import { ja } from "./ja.ts";
import { pt } from "./pt.ts";

/**
 * What the rules of rewards count, in every language. These words stand together, because a new rule needs all
 * of them.
 */
const RULES = {
  en: {
    "rule.customer_age_in_months":
      "the number of months since the customer's first sale is {operator} {value}",
    "rule.customer_sales_count": "the number of the customer's sales is {operator} {value}",
    "rule.promoter_campaign_customers_count": "the number of your customers is {operator} {value}",
    "rule.promoter_campaign_revenue": "the revenue that you have brought is {operator} {value}",
  },
  de: {
    "rule.customer_age_in_months":
      "die Zahl der Monate seit dem ersten Verkauf an den Kunden {operator} {value} ist",
    "rule.customer_sales_count": "die Zahl der Verkäufe an den Kunden {operator} {value} ist",
    "rule.promoter_campaign_customers_count": "die Zahl Ihrer Kunden {operator} {value} ist",
    "rule.promoter_campaign_revenue": "Ihr Umsatz {operator} {value} ist",
  },
  fr: {
    "rule.customer_age_in_months":
      "le nombre de mois depuis la première vente au client est {operator} {value}",
    "rule.customer_sales_count": "le nombre de ventes au client est {operator} {value}",
    "rule.promoter_campaign_customers_count": "le nombre de vos clients est {operator} {value}",
    "rule.promoter_campaign_revenue": "le chiffre d’affaires que vous avez apporté est {operator} {value}",
  },
  es: {
    "rule.customer_age_in_months":
      "el número de meses desde la primera venta al cliente es {operator} {value}",
    "rule.customer_sales_count": "el número de ventas al cliente es {operator} {value}",
    "rule.promoter_campaign_customers_count": "el número de tus clientes es {operator} {value}",
    "rule.promoter_campaign_revenue": "el importe de ingresos que has aportado es {operator} {value}",
  },
  pt: {
    "rule.customer_age_in_months":
      "o número de meses desde a primeira venda ao cliente for {operator} {value}",
    "rule.customer_sales_count": "o número de vendas ao cliente for {operator} {value}",
    "rule.promoter_campaign_customers_count": "o número dos seus clientes for {operator} {value}",
    "rule.promoter_campaign_revenue": "o valor da receita que você trouxe for {operator} {value}",
  },
  ja: {
    "rule.customer_age_in_months": "顧客の最初の売上からの月数が {value} {operator}",
    "rule.customer_sales_count": "顧客への売上の件数が {value} {operator}",
    "rule.promoter_campaign_customers_count": "あなたの顧客数が {value} {operator}",
    "rule.promoter_campaign_revenue": "あなたがもたらした売上額が {value} {operator}",
  },
  he: {
    "rule.customer_age_in_months": "מספר החודשים מאז המכירה הראשונה ללקוח {operator} {value}",
    "rule.customer_sales_count": "מספר המכירות ללקוח {operator} {value}",
    "rule.promoter_campaign_customers_count": "מספר הלקוחות שלך {operator} {value}",
    "rule.promoter_campaign_revenue": "סכום ההכנסות שהבאת {operator} {value}",
  },
};

type RuleTexts = { [Key in keyof typeof RULES.en]: string };

/**
 * The languages of pages and e-mails for promoters, by ISO 639 code. A further language is a line here, and its
 * words for rules above.
 */
export const CATALOGUES = {
  en: withRules(en, RULES.en),
  de: withRules(de, RULES.de),
  fr: withRules(fr, RULES.fr),
  es: withRules(es, RULES.es),
  pt: withRules(pt, RULES.pt),
  ja: withRules(ja, RULES.ja),
  he: withRules(he, RULES.he),
};

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

export type TextKey = keyof Catalogue["texts"] | keyof RuleTexts;

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

function withRules({ texts, ...others }: Catalogue, rules: RuleTexts) {
  return { ...others, texts: { ...texts, ...rules } };
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
