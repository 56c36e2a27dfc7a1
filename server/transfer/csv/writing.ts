/** The order of day and month in dates with slashes and dashes. */
export const DATE_ORDERS = ["dmy", "mdy"] as const;

export type DateOrder = (typeof DATE_ORDERS)[number];

/** How a column writes its dates and amounts. */
export interface Writing {
  /** Null if no date needs it, or the order is unknown. */
  dateOrder: DateOrder | null;
  decimalMark: "." | ",";
}

/** A day and a month in numbers, then the year: `5/6/2024`, `05-06-2024 13:45`. */
const NUMERIC_DATE = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(.*)$/;
const TIME = /^[ ,T]+(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)? ?([ap]m)?$/i;
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})(.*)$/;
const WORDED_DATE = /^(?:([a-z]{3,9})\.? (\d{1,2})|(\d{1,2})\.? ([a-z]{3,9})\.?),? (\d{4})(.*)$/i;
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Analyses the values of a column. `dateOrder` is the user's choice, or null. */
export function writingOf(values: string[], dateOrder: DateOrder | null): Writing {
  return { dateOrder: dateOrder ?? dateOrderOf(values), decimalMark: decimalMarkOf(values) };
}

/** Whether dates could have either order, and no value tells which. */
export function isAmbiguous(values: string[], { dateOrder }: Writing): boolean {
  return dateOrder === null && values.some((value) => NUMERIC_DATE.exec(value)?.[2] === "/");
}

/** An ISO date, or the unchanged text if it is not a known form of date. */
export function plainDate(value: string, { dateOrder }: Writing): string {
  const seconds = /^1\d{9}(\d{3})?$/.exec(value);
  if (seconds !== null) return new Date(Number(value) * (seconds[1] === undefined ? 1_000 : 1)).toISOString();
  const [, year, month, day, rest = ""] = YEAR_FIRST.exec(value) ?? [];
  if (year !== undefined) return isoOf([year, month, day], rest) ?? value;
  const [, wordFirst, dayAfter, dayFirst, wordAfter, wordYear, wordRest = ""] = WORDED_DATE.exec(value) ?? [];
  if (wordYear !== undefined) {
    const named = MONTHS.indexOf((wordFirst ?? wordAfter ?? "").slice(0, 3).toLowerCase()) + 1;
    return named === 0 ? value : (isoOf([wordYear, String(named), dayAfter ?? dayFirst], wordRest) ?? value);
  }
  const [, one, mark, other, lastYear, lastRest = ""] = NUMERIC_DATE.exec(value) ?? [];
  // Dates with dots never begin with the month.
  const order = mark === "." ? "dmy" : dateOrder;
  if (lastYear === undefined || order === null) return value;
  return isoOf(order === "dmy" ? [lastYear, other, one] : [lastYear, one, other], lastRest) ?? value;
}

/**
 * A plain decimal number, or the unchanged text. Only the account's own currency is accepted beside it, because an amount
 * in another currency would be a different sum.
 */
export function plainAmount(value: string, { decimalMark }: Writing, currency: string): string {
  const bare = withoutCurrency(value, currency);
  if (decimalMark === ",") {
    const isWritten = /^-?(\d+|\d{1,3}([. ]\d{3})+)(,\d+)?$/.test(bare);
    return isWritten ? bare.replace(/[. ]/g, "").replace(",", ".") : bare;
  }
  return /^-?\d{1,3}([, ]\d{3})+(\.\d+)?$/.test(bare) ? bare.replace(/[, ]/g, "") : bare;
}

/** Whether a text is an amount in any notation. */
export function looksLikeAmount(value: string): boolean {
  return /^-?(\p{Sc} ?|[A-Z]{3} )?-?\d[\d., ]*( ?\p{Sc}| [A-Z]{3})?$/u.test(value) && value.length <= 24;
}

/** Whether a text is a date in any notation. */
export function looksLikeDate(value: string): boolean {
  return /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}/.test(value) || NUMERIC_DATE.test(value) || WORDED_DATE.test(value);
}

function dateOrderOf(values: string[]): DateOrder | null {
  const dates = values.map((value) => NUMERIC_DATE.exec(value)).filter((found) => found !== null);
  const isDayFirst = dates.some(([, one]) => Number(one) > 12);
  const isMonthFirst = dates.some(([, , , other]) => Number(other) > 12);
  // Both orders occur, so some dates are wrong.
  if (isDayFirst === isMonthFirst) return null;
  return isDayFirst ? "dmy" : "mdy";
}

function decimalMarkOf(values: string[]): Writing["decimalMark"] {
  const hasComma = values.some((value) => /\d\.\d{3},\d/.test(value) || /^\D*\d+,\d{1,2}\D*$/.test(value));
  const hasPoint = values.some((value) => /\d,\d{3}\.\d/.test(value) || /^\D*\d+\.\d{1,2}\D*$/.test(value));
  return hasComma && !hasPoint ? "," : ".";
}

function isoOf([year, month = "", day = ""]: (string | undefined)[], rest: string): string | null {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (rest.trim() === "") return date;
  const [, hour, minute, second = "00", half] = TIME.exec(rest) ?? [];
  // It may be a time zone. Then the text is read as it is.
  if (hour === undefined) return null;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return `${date}T${String(hours).padStart(2, "0")}:${minute}:${second}`;
}

function withoutCurrency(value: string, currency: string): string {
  const text = value.replace(/[\u00a0\u202f]/g, " ").trim();
  const parts = new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  const symbol = parts.formatToParts(0).find(({ type }) => type === "currency")?.value ?? currency;
  for (const own of [currency, symbol]) {
    if (text.startsWith(own)) return text.slice(own.length).trim();
    if (text.startsWith(`-${own}`)) return `-${text.slice(own.length + 1).trim()}`;
    if (text.endsWith(own)) return text.slice(0, -own.length).trim();
  }
  return text;
}
