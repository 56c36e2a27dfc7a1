import { distance } from "fastest-levenshtein";
import type { Account } from "../../domain/program/account/account.ts";
import { findLeadByEmail, findLeadByUid } from "../../domain/people/lead/search.ts";
import { isRefToken, findByRefToken } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { findPromoterByEmail } from "../../domain/people/promoter/promoter.ts";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import { looksLikeAmount, looksLikeDate } from "./writing.ts";

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

/** The fields of a kind of records, and how their columns are told apart. */
export interface Fields {
  columns: readonly Columns[];
  /** Each group needs at least one of its fields. */
  required: readonly (readonly string[])[];
  /** A column with the field's own name is the other field, if another column has a narrower name of the field. */
  wider?: { field: string; other: string };
  /** What words of states mean, by field. */
  words?: Readonly<Record<string, Meanings>>;
  /** Whether a column that may hold states must be understood, because money or rights depend on it. */
  needsStates?: boolean;
}

/** The values of a field by the words of other programs, in snake_case. */
export type Meanings = Readonly<Record<string, string>>;

const MOST_EXAMPLES = 3;
const EXAMPLE_LENGTH = 80;
/** How many different values of a column are searched in the store. */
const LOOKED_FOR = 20;
const EMAIL = /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/;
/** Shorter words that differ in one letter are different words, not typing errors. */
const LEAST_MISTYPED = 6;

/**
 * Finds the field of each column: by the user's choice, by its title, and then by its values. A title decides before
 * values: they only tell who a line is about, if no title does.
 *
 * @see docs/spec/v2.md "Coming from another program"
 */
export async function matchColumns(
  store: Store,
  account: Account,
  { sheet, fields, chosen }: { sheet: Sheet; fields: Fields; chosen: ChosenColumns },
): Promise<MatchedColumn[]> {
  refuseUnknown(sheet, fields, chosen);
  const columns = sheet.titles.map((title, at): Column => {
    const values = sheet.rows.map((row) => row[at] ?? "").filter((value) => value !== "");
    const word = wordOf(withoutNumber(title, sheet.titles));
    return { word, values, match: byTitle(word, { fields, choice: chosen.get(title), values }) };
  });
  preferChosen(columns);
  preferNarrower(fields, columns);
  preferOwnNames(fields, columns);
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
  /** Its title in snake_case. */
  word: string;
  values: string[];
  match: Match;
}

const IGNORED: Match = { field: null, certainty: null, reason: "no field has this name" };

function ignored(reason: string): Match {
  return { field: null, certainty: null, reason };
}

/** A title in snake_case: `First Name` is `first_name`. */
export function wordOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");
}

/** The second column of a title is called `Title (2)`. */
function withoutNumber(title: string, titles: string[]): string {
  const bare = title.replace(/ \(\d+\)$/, "");
  return bare !== title && titles.includes(bare) ? bare : title;
}

/** A chosen column takes precedence over all others. */
function preferChosen(columns: Column[]): void {
  const taken = new Set(
    columns.flatMap(({ match }) =>
      match.certainty === "chosen" && match.field !== null ? [match.field] : [],
    ),
  );
  for (const column of columns) {
    const { field, certainty } = column.match;
    if (field === null || certainty === "chosen" || !taken.has(field)) continue;
    column.match = ignored(`you have chosen another column as ${field}`);
  }
}

/** Beside `commission_amount`, `amount` is the sale's. */
function preferNarrower({ wider }: Fields, columns: Column[]): void {
  if (wider === undefined) return;
  const { field, other } = wider;
  const ofField = columns.filter(({ match }) => match.field === field && match.certainty !== "chosen");
  const own = ofField.filter(({ word }) => word === field);
  if (own.length === 0 || own.length === ofField.length) return;
  const isFree = columns.every(({ match }) => match.field !== other);
  const reason = `another column has a narrower name for ${field}`;
  for (const column of own)
    column.match = isFree ? { field: other, certainty: "likely", reason } : ignored(reason);
}

/**
 * A column with a field's own name takes precedence over columns with other names of the field. Two columns of states say
 * different things, so none of them is dropped.
 */
function preferOwnNames({ words }: Fields, columns: Column[]): void {
  const own = new Set(columns.filter(({ word, match }) => match.field === word).map(({ word }) => word));
  for (const column of columns) {
    const { field, certainty } = column.match;
    if (field === null || certainty === "chosen" || !own.has(field) || column.word === field) continue;
    if (words?.[field] === undefined) column.match = ignored(`another column is called ${field}`);
  }
}

function refuseUnknown({ titles }: Sheet, { columns }: Fields, chosen: ChosenColumns): void {
  const names = columns.map(([name = ""]) => name);
  for (const [title, field] of chosen) {
    if (!titles.includes(title)) throw wrong(`The file has no column ${JSON.stringify(title)}`);
    if (field !== null && !names.includes(field))
      throw wrong(`${JSON.stringify(field)} is not one of ${names.join(", ")}`);
  }
}

function wrong(message: string): Failure {
  return new Failure("invalid", message, { columns: [message] });
}

/** Titles of people that may stand above e-mail addresses, ids or names. Only addresses are taken by the title. */
const OPEN_TITLES = new Set(["promoter", "affiliate", "partner", "referrer", "customer"]);
/** Titles of ids, which other programs use for ref ids or for numbers of records. */
const ID_TITLES = new Set(["affiliate_id", "referral_id"]);

function byTitle(
  word: string,
  { fields, choice, values }: { fields: Fields; choice: string | null | undefined; values: string[] },
): Match {
  if (choice === null) return { field: null, certainty: "chosen", reason: "you have chosen to ignore it" };
  if (choice !== undefined) return { field: choice, certainty: "chosen", reason: "you have chosen it" };
  const exact = fields.columns.find((names) => names.includes(word))?.[0];
  if (exact !== undefined) {
    const match = judged(exact, values, "certain", "the title says so");
    if (OPEN_TITLES.has(word) && match.certainty === "guess") return IGNORED;
    const isNumbered = ID_TITLES.has(word) && values.length > 0 && values.every(isNumber);
    return isNumbered ? ignored("numbers are ref ids only if you say so") : match;
  }
  if (word.length < LEAST_MISTYPED) return IGNORED;
  const near = fields.columns.find((names) =>
    names.some((name) => name.length >= LEAST_MISTYPED && distance(name, word) === 1),
  );
  return near === undefined ? IGNORED : judged(near[0]!, values, "likely", "the title nearly says so");
}

function isNumber(value: string): boolean {
  return /^#?\d+$/.test(value);
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

/** Each group of fields names the same person. */
const PEOPLE = [
  ["promoter_email", "ref_id"],
  ["email", "uid"],
];
/** Titles of things that are not people, whatever their values look like. */
const NO_PERSON =
  /(^|_)(name|order|invoice|transaction|charge|payment|payout|paypal|wallet|number|count|quantity|phone|plan|product|campaign|program|type|note|description|currency|status|state)s?(_|$)/;

/** Matches fields that no title matched. */
async function matchByValues(
  store: Store,
  account: Account,
  { columns, fields }: { columns: Column[]; fields: Fields },
): Promise<Column[]> {
  const has = (field: string) => fields.columns.some(([name]) => name === field);
  const isMatched = (field: string) => columns.some(({ match }) => match.field === field);
  const isOpen = (field: string) => {
    const group = PEOPLE.find((names) => names.includes(field)) ?? [field];
    return has(field) && !group.some(isMatched);
  };
  const open = () => columns.filter(({ match, values }) => match === IGNORED && values.length > 0);
  for (const column of open().filter(({ word }) => !NO_PERSON.test(word))) {
    const match = await byRecords(store, account, column.values, isOpen);
    if (match !== null) column.match = match;
  }
  const looking = (looks: Looks) => open().filter(({ values }) => values.every(LOOKS[looks].fits));
  for (const [field, looks] of [
    ["email", "email"],
    ["amount", "amount"],
    ["created_at", "date"],
  ] as const) {
    const [only, ...others] = looking(looks).filter(({ word }) => looks !== "email" || !NO_PERSON.test(word));
    // With two candidates, it is unclear which one is right.
    if (only === undefined || others.length > 0 || !has(field) || isMatched(field)) continue;
    // Whole numbers can be anything.
    if (looks === "amount" && !only.values.some((value) => /\d[.,]\d|\p{Sc}/u.test(value))) continue;
    const certainty = looks === "email" ? "likely" : "guess";
    only.match = { field, certainty, reason: `its values are ${LOOKS[looks].words}` };
  }
  return columns;
}

/** Searches records by the values. Numbers name orders and rows as well as people, so they prove nothing. */
async function byRecords(
  store: Store,
  { id }: Account,
  values: string[],
  isOpen: (field: string) => boolean,
): Promise<Match | null> {
  const some = [...new Set(values)].slice(0, LOOKED_FOR);
  if (some.every(isNumber)) return null;
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
    if (!isOpen(field)) continue;
    const found = await Promise.all(some.map(look));
    const count = found.filter((record) => record !== null).length;
    if (count * 2 < some.length || count === 0) continue;
    return { field, certainty: "likely", reason: `${count} of ${some.length} values are ${words}` };
  }
  return null;
}
