import { distance } from "fastest-levenshtein";
import type { Account } from "../../domain/program/account/account.ts";
import { findLeadByEmail, findLeadByUid } from "../../domain/people/lead/search.ts";
import { isRefToken, findByRefToken } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { findPromoterByEmail } from "../../domain/people/promoter/promoter.ts";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";

/** The accepted names of a field in files; the first is ours. */
export type Columns = readonly string[];

/** `chosen`: the user said so. */
export const CERTAINTIES = ["chosen", "certain", "likely", "guess"] as const;

/** A column of a file, and the field that it fills. */
export interface MatchedColumn {
  title: string;
  /** Null if the column is ignored. */
  field: string | null;
  /** Null if the column is ignored. */
  certainty: (typeof CERTAINTIES)[number] | null;
  /** The reason, for people. */
  reason: string;
  /** Some of its values. */
  examples: string[];
}

/** Fields that the user chose, by title. Null ignores the column. */
export type ChosenColumns = ReadonlyMap<string, string | null>;

/** A sheet whose columns are matched. */
export interface Sheet {
  titles: string[];
  /** The first lines. */
  rows: string[][];
}

const MOST_EXAMPLES = 3;
const EXAMPLE_LENGTH = 80;
/** How many different values of a column are searched in the store. */
const LOOKED_FOR = 20;
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;
/** Shorter words that differ in one letter are different words, not typing errors. */
const LEAST_MISTYPED = 6;

/**
 * Finds the field of each column: by the user's choice, by its title, and then by its values. Only required fields are
 * matched by values, so that an unknown column does no harm.
 */
export async function matchColumns(
  store: Store,
  account: Account,
  { sheet, fields, chosen }: { sheet: Sheet; fields: readonly Columns[]; chosen: ChosenColumns },
): Promise<MatchedColumn[]> {
  refuseUnknown(sheet, fields, chosen);
  const columns = sheet.titles.map((title, at) => {
    const values = sheet.rows.map((row) => row[at] ?? "").filter((value) => value !== "");
    return { values, match: byTitle(title, { fields, chosen, values }) };
  });
  preferOwnNames(sheet.titles, columns);
  const known = await matchByValues(store, account, { columns, fields });
  return known.map(({ values, match }, at) => ({
    title: sheet.titles[at] ?? "",
    ...match,
    examples: [...new Set(values)]
      .slice(0, MOST_EXAMPLES)
      .map((value) => (value.length > EXAMPLE_LENGTH ? `${value.slice(0, EXAMPLE_LENGTH)}…` : value)),
  }));
}

type Match = Pick<MatchedColumn, "field" | "certainty" | "reason">;

interface Column {
  values: string[];
  match: Match;
}

const IGNORED: Match = { field: null, certainty: null, reason: "no field has this name" };

/** A title in snake_case: `First Name` is `first_name`. */
export function wordOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");
}

/** A column with a field's own name takes precedence over columns with other names of the field. */
function preferOwnNames(titles: string[], columns: Column[]): void {
  const own = new Set(titles.map(wordOf).filter((word, at) => columns[at]!.match.field === word));
  for (const [at, column] of columns.entries()) {
    const { field, certainty } = column.match;
    if (field === null || certainty === "chosen" || !own.has(field) || wordOf(titles[at]!) === field)
      continue;
    column.match = { field: null, certainty: null, reason: `another column is called ${field}` };
  }
}

function refuseUnknown({ titles }: Sheet, fields: readonly Columns[], chosen: ChosenColumns): void {
  const names = fields.map(([name = ""]) => name);
  for (const [title, field] of chosen) {
    if (!titles.includes(title)) throw wrong(`The file has no column ${JSON.stringify(title)}`);
    if (field !== null && !names.includes(field))
      throw wrong(`${JSON.stringify(field)} is not one of ${names.join(", ")}`);
  }
}

function wrong(message: string): Failure {
  return new Failure("invalid", message, { columns: [message] });
}

function byTitle(
  title: string,
  { fields, chosen, values }: { fields: readonly Columns[]; chosen: ChosenColumns; values: string[] },
): Match {
  const choice = chosen.get(title);
  if (choice === null) return { field: null, certainty: "chosen", reason: "you have chosen to ignore it" };
  if (choice !== undefined) return { field: choice, certainty: "chosen", reason: "you have chosen it" };
  const word = wordOf(title);
  const exact = fields.find((names) => names.includes(word))?.[0];
  if (exact !== undefined) return judged(exact, values, "certain", "the title says so");
  if (word.length < LEAST_MISTYPED) return IGNORED;
  const near = fields.find((names) =>
    names.some((name) => name.length >= LEAST_MISTYPED && distance(name, word) === 1),
  );
  return near === undefined ? IGNORED : judged(near[0]!, values, "likely", "the title nearly says so");
}

/** A match is less certain if the values look different. */
function judged(field: string, values: string[], certainty: "certain" | "likely", reason: string): Match {
  const looks = looksOf(field);
  if (looks === null || values.length === 0) return { field, certainty, reason };
  const misfits = values.filter((value) => !LOOKS[looks].fits(value)).length;
  if (misfits * 2 <= values.length) return { field, certainty, reason };
  const doubt = `${misfits} of ${values.length} values are not ${LOOKS[looks].words}`;
  return { field, certainty: "guess", reason: `${reason}, but ${doubt}` };
}

const LOOKS = {
  email: { fits: (value: string) => EMAIL.test(value), words: "e-mail addresses" },
  amount: { fits: looksLikeAmount, words: "amounts" },
  date: { fits: looksLikeDate, words: "dates" },
};

type Looks = keyof typeof LOOKS;

/** What the values of a field look like, or null if anything is possible. */
export function looksOf(field: string): Looks | null {
  if (/(^|_)email$/.test(field)) return "email";
  if (/(^|_)amount$/.test(field)) return "amount";
  return /_at$|_since$/.test(field) ? "date" : null;
}

/** Matches fields that no title matched. */
async function matchByValues(
  store: Store,
  account: Account,
  { columns, fields }: { columns: Column[]; fields: readonly Columns[] },
): Promise<Column[]> {
  const free = (field: string) =>
    fields.some(([name]) => name === field) && columns.every(({ match }) => match.field !== field);
  const open = () => columns.filter(({ match, values }) => match === IGNORED && values.length > 0);
  for (const column of open()) {
    const match = await byRecords(store, account, column.values, free);
    if (match !== null) column.match = match;
  }
  const looking = (looks: Looks) => open().filter(({ values }) => values.every(LOOKS[looks].fits));
  for (const [field, looks] of [
    ["email", "email"],
    ["amount", "amount"],
    ["created_at", "date"],
  ] as const) {
    const [only, ...others] = looking(looks);
    // With two candidates, it is unclear which one is right.
    if (only === undefined || others.length > 0 || !free(field)) continue;
    // Whole numbers can be anything.
    if (looks === "amount" && !only.values.some((value) => /\d[.,]\d|\p{Sc}/u.test(value))) continue;
    const certainty = looks === "email" ? "likely" : "guess";
    only.match = { field, certainty, reason: `its values are ${LOOKS[looks].words}` };
  }
  return columns;
}

/** Searches records by the values. */
async function byRecords(
  store: Store,
  { id }: Account,
  values: string[],
  free: (field: string) => boolean,
): Promise<Match | null> {
  const some = [...new Set(values)].slice(0, LOOKED_FOR);
  const probes: [field: string, words: string, look: (value: string) => Promise<unknown>][] = [
    [
      "promoter_email",
      "e-mail addresses of promoters",
      async (value) => (EMAIL.test(value) ? findPromoterByEmail(store, id, value) : null),
    ],
    [
      "email",
      "e-mail addresses of leads",
      async (value) => (EMAIL.test(value) ? findLeadByEmail(store, id, value) : null),
    ],
    [
      "ref_id",
      "ref ids of promoters",
      async (value) =>
        isRefToken(value.toLowerCase()) ? findByRefToken(store, id, value.toLowerCase()) : null,
    ],
    ["uid", "ids of leads", async (value) => (value.length > 3 ? findLeadByUid(store, id, value) : null)],
  ];
  for (const [field, words, look] of probes) {
    if (!free(field)) continue;
    const found = await Promise.all(some.map(look));
    const count = found.filter((record) => record !== null).length;
    if (count * 2 < some.length || count === 0) continue;
    return { field, certainty: "likely", reason: `${count} of ${some.length} values are ${words}` };
  }
  return null;
}

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
function looksLikeAmount(value: string): boolean {
  return /^-?(\p{Sc} ?|[A-Z]{3} )?-?\d[\d., ]*( ?\p{Sc}| [A-Z]{3})?$/u.test(value) && value.length <= 24;
}

/** Whether a text is a date in any notation. */
function looksLikeDate(value: string): boolean {
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
