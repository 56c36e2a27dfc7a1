import { signal } from "@preact/signals";
import { digitsOf, styleOf } from "./currency.ts";
import { locale, moneyLocale } from "../languages/messages.ts";

/** The account's currency and time zone, for formatting. The app sets them when it knows the account. */
export const writing = signal({ currency: "USD", timeZone: "UTC" });

const NOTHING = "–";
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * `€1,234.50`, from the currency's smallest units. `isShort` gives `€1.2K` for an axis, `isRound` gives `€1,234` for
 * amounts over a thousand.
 */
export function money(
  cents: number | null | undefined,
  {
    currency = writing.value.currency,
    isShort = false,
    isRound = false,
  }: { currency?: string; isShort?: boolean; isRound?: boolean } = {},
): string {
  if (cents === null || cents === undefined) return NOTHING;
  const amount = cents / 10 ** digitsOf(currency);
  const isRounded = isRound && Math.abs(amount) >= 1_000;
  const style = { style: "currency", currency } as const;
  if (isShort) return formatter({ ...style, ...SHORT }, moneyLocale.value).format(amount);
  const options = isRounded ? { ...style, maximumFractionDigits: 0 } : styleOf(currency);
  return formatter(options, moneyLocale.value).format(amount);
}

/** `1,234`, or `1.2K` with `isShort`. */
export function count(value: number | null | undefined, { isShort = false } = {}): string {
  if (value === null || value === undefined) return NOTHING;
  return formatter(isShort ? SHORT : {}).format(value);
}

/** `12.3%`, from percent. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return NOTHING;
  return formatter({ style: "percent", maximumFractionDigits: 1 }).format(value / 100);
}

/** `7.25%`: agreed terms are not rounded. They have at most four decimals. */
export function exactPercent(value: number | null | undefined): string {
  if (value === null || value === undefined) return NOTHING;
  return formatter({ style: "percent", maximumFractionDigits: 4 }).format(value / 100);
}

/** `4 Mar 2026` in the account's time zone, from an instant or a calendar day. */
export function date(value: string | null | undefined): string {
  return written(value, { dateStyle: "medium" });
}

/**
 * `1 – 31 Mar 2026` in the account's time zone, from the first and the last moment of a period, or from its days. Whole UTC
 * days are shown in UTC, because the account may have had another time zone.
 */
export function periodWords(start: string, end: string): string {
  const isOfDays = start.length === "2026-03-01".length;
  const isOfUtc = isOfDays || (start.includes("T00:00:00") && end.includes("T23:59:59"));
  const timeZone = isOfUtc ? "UTC" : writing.value.timeZone;
  const format = new Intl.DateTimeFormat(locale.value, { dateStyle: "medium", timeZone });
  return format.formatRange(new Date(start), new Date(end));
}

/** `4 Mar 2026, 05:06` in the account's time zone. */
export function dateTime(value: string | null | undefined): string {
  return written(value, { dateStyle: "medium", timeStyle: "short" });
}

/** `3 hours ago`, or the date after a month. */
export function ago(value: string | null | undefined, now = Date.now()): string {
  if (value === null || value === undefined) return NOTHING;
  const seconds = (Date.parse(value) - now) / 1_000;
  if (Math.abs(seconds) > 30 * (DAY_MS / 1_000)) return date(value);
  const relative = new Intl.RelativeTimeFormat(locale.value, { numeric: "auto" });
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return relative.format(Math.trunc(seconds / length), unit);
}

/** `France` from `FR`. Other texts stay unchanged. */
export function country(value: string): string {
  if (!/^[A-Z]{2}$/i.test(value)) return value;
  return new Intl.DisplayNames(locale.value, { type: "region" }).of(value.toUpperCase()) ?? value;
}

/** `3 leads`, `1 lead`. */
export function several(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

const SHORT: Intl.NumberFormatOptions = { notation: "compact", maximumFractionDigits: 1 };
const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** A calendar day has no time zone, so it is formatted in the zone in which it is parsed. */
function written(value: string | null | undefined, style: Intl.DateTimeFormatOptions): string {
  if (value === null || value === undefined) return NOTHING;
  const timeZone = value.length === 10 ? "UTC" : writing.value.timeZone;
  return new Intl.DateTimeFormat(locale.value, { ...style, timeZone }).format(new Date(value));
}

const formatters = new Map<string, Intl.NumberFormat>();

/** Formatters are cached, because creating one is much slower than using it. */
function formatter(options: Intl.NumberFormatOptions, wanted = locale.value): Intl.NumberFormat {
  const key = JSON.stringify([wanted, options]);
  const made = formatters.get(key) ?? new Intl.NumberFormat(wanted, options);
  formatters.set(key, made);
  return made;
}
