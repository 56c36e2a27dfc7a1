import type { Account } from "../../domain/program/account/account.ts";
import { restored } from "../../csv.ts";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import {
  looksOf,
  matchColumns,
  wordOf,
  type ChosenColumns,
  type Fields,
  type MatchedColumn,
  type Meanings,
} from "./columns.ts";
import { refuseOwnExport } from "./own-exports.ts";
import { readHeader, readLines, type CsvHeader, type CsvFile } from "./read.ts";
import { isAmbiguous, plainAmount, plainDate, writingOf, type DateOrder, type Writing } from "./writing.ts";

/** How many lines are analysed before a file is read. */
const LOOKED_AT = 500;

/** How the lines of a file become values by field. It is stored as JSON during an import. */
export interface CsvPlan extends CsvHeader {
  /** By column; null if the column is ignored. */
  fields: (string | null)[];
  writings: Writing[];
  /** What words of states mean, by field. */
  words: Record<string, Meanings>;
}

/** A plan, with its explanation for people. */
export interface DrawnPlan {
  plan: CsvPlan;
  columns: MatchedColumn[];
  words: FoundWord[];
  /** Why the file can't be imported like this, in sentences. */
  faults: string[];
}

/** A word of a state in the first lines of a file. */
export interface FoundWord {
  field: string;
  /** As it is in the file. */
  word: string;
  /** Null if it is unknown, so that the user must say it. */
  meaning: string | null;
}

/** What the user says about a file. Null values are detected. */
export interface Saying {
  delimiter: string | null;
  dateOrder: DateOrder | null;
  chosen: ChosenColumns;
  /** What words of states mean. */
  words: ReadonlyMap<string, string>;
}

/** A line's values by field, or its fault. */
export interface Row {
  line: number;
  values: Record<string, string> | null;
  /** Why there are no values. */
  fault: string | null;
}

/** Analyses the beginning of a file. @throws Failure `malformed`, `invalid` for columns that it does not have */
export async function drawPlan(
  store: Store,
  account: Account,
  { file, kind, saying }: { file: CsvFile; kind: Fields; saying: Saying },
): Promise<DrawnPlan> {
  const header = await readHeader(file, saying.delimiter);
  refuseOwnExport(header.titles);
  const rows: string[][] = [];
  let seen = 0;
  for await (const { cells } of readLines(file, header)) {
    if (cells !== null) rows.push(cells.map(restored));
    seen += 1;
    if (seen === LOOKED_AT) break;
  }
  const sheet = { titles: header.titles, rows };
  const columns = await matchColumns(store, account, { sheet, fields: kind, chosen: saying.chosen });
  const valuesAt = (at: number) => rows.map((row) => row[at] ?? "").filter((value) => value !== "");
  const writings = columns.map((_, at) => writingOf(valuesAt(at), saying.dateOrder));
  const fields = columns.map(({ field }) => field);
  if (fields.every((field) => field === null)) throw unknownColumns(kind);
  const meanings = meaningsOf(kind, saying.words);
  const words = columns.flatMap(({ field }, at) => wordsIn(field, valuesAt(at), meanings));
  const unclear = columns.filter(
    ({ field }, at) =>
      field !== null && looksOf(field) === "date" && isAmbiguous(valuesAt(at), writings[at]!),
  );
  const faults = [
    ...missingFields(kind, fields),
    ...rivals(columns),
    ...unknownStates(kind, { columns, valuesAt, words }),
    ...unclear.map(
      ({ title }) =>
        `The dates of ${JSON.stringify(title)} may begin with the day or with the month: say which of dmy and mdy`,
    ),
  ];
  return { plan: { ...header, fields, writings, words: meanings }, columns, words, faults };
}

/** Yields the lines of a file by field. @throws Failure `malformed` */
export async function* readRows(file: CsvFile, plan: CsvPlan, account: Account): AsyncGenerator<Row> {
  for await (const { line, cells, fault } of readLines(file, plan)) {
    if (cells === null) {
      yield { line, values: null, fault };
      continue;
    }
    // Without a prototype, so that a missing column never reads as a property of Object.
    const values = Object.create(null) as Record<string, string>;
    for (const [at, field] of plan.fields.entries()) {
      if (field !== null && cells[at])
        values[field] ??= plainValue(field, restored(cells[at]), { at, plan, account });
    }
    yield { line, values, fault: null };
  }
}

function plainValue(
  field: string,
  value: string,
  { at, plan, account: { currency } }: { at: number; plan: CsvPlan; account: Account },
): string {
  const meanings = plan.words[field];
  if (meanings !== undefined) return meaningOf(meanings, value) ?? value;
  const writing = plan.writings[at]!;
  const looks = looksOf(field);
  if (looks === "date") return plainDate(value, writing);
  return looks === "amount" ? plainAmount(value, writing, currency) : value;
}

function missingFields({ required }: Fields, fields: (string | null)[]): string[] {
  return required
    .filter((names) => !names.some((name) => fields.includes(name)))
    .map((names) => `No column is called ${names.join(" or ")}`);
}

/** Two columns of one field are a question, unless the user has answered it. */
function rivals(columns: MatchedColumn[]): string[] {
  const byField = new Map<string, string[]>();
  for (const { field, title, certainty } of columns) {
    if (field === null || certainty === "chosen") continue;
    byField.set(field, [...(byField.get(field) ?? []), JSON.stringify(title)]);
  }
  return [...byField].flatMap(([field, titles]) =>
    titles.length < 2 ? [] : [`Say which column is ${field}: ${titles.join(" or ")}`],
  );
}

/** What each word means, by field: what the user says, otherwise the usual meaning. @throws Failure `invalid` */
function meaningsOf(kind: Fields, said: Saying["words"]): Record<string, Meanings> {
  const usual = Object.entries(kind.words ?? {});
  for (const [word, meaning] of said) {
    const possible = usual.flatMap(([, meanings]) => Object.values(meanings));
    if (possible.includes(meaning)) continue;
    const message =
      possible.length === 0
        ? `No column has states, so ${JSON.stringify(word)} can't mean ${JSON.stringify(meaning)}`
        : `${JSON.stringify(word)} can't mean ${JSON.stringify(meaning)}, only ${distinct(possible).join(", ")}`;
    throw new Failure("invalid", message, { words: [message] });
  }
  return Object.fromEntries(
    usual.map(([field, meanings]) => {
      const possible = Object.values(meanings);
      const own = [...said].filter(([, meaning]) => possible.includes(meaning));
      return [
        field,
        { ...meanings, ...Object.fromEntries(own.map(([word, meaning]) => [wordOf(word), meaning])) },
      ];
    }),
  );
}

function meaningOf(meanings: Meanings, value: string): string | null {
  const word = wordOf(value);
  return Object.hasOwn(meanings, word) ? meanings[word]! : null;
}

function wordsIn(field: string | null, values: string[], words: Record<string, Meanings>): FoundWord[] {
  const meanings = field === null ? undefined : words[field];
  if (field === null || meanings === undefined) return [];
  return distinct(values).map((word) => ({ field, word, meaning: meaningOf(meanings, word) }));
}

function distinct(values: string[]): string[] {
  return [...new Set(values)];
}

/** How many unknown words are named. */
const MOST_WORDS = 10;
/** Titles of states. */
const STATE_TITLE = /(^|_)(status|state|paid|settled)(_|$)/;
const PAYMENT_TITLE = /(^|_)(payment|payout)s?(_|$)/;

/** The questions about states: what words mean, and what columns are that may hold states. */
function unknownStates(
  kind: Fields,
  {
    columns,
    valuesAt,
    words,
  }: { columns: MatchedColumn[]; valuesAt: (at: number) => string[]; words: FoundWord[] },
): string[] {
  const fields = Object.keys(kind.words ?? {});
  const questions = fields.flatMap((field) => {
    const unknown = words.filter((found) => found.field === field && found.meaning === null);
    if (unknown.length === 0) return [];
    const shown = unknown.slice(0, MOST_WORDS).map(({ word }) => JSON.stringify(word));
    const rest = unknown.length > MOST_WORDS ? ` and ${unknown.length - MOST_WORDS} more` : "";
    const possible = distinct(Object.values(kind.words![field]!)).join(", ");
    return [`Say what these words of ${field} mean (${possible}): ${shown.join(", ")}${rest}`];
  });
  if (!kind.needsStates) return questions;
  const isKnown = columns.some(({ field }) => field === "paid_at" || fields.includes(field ?? ""));
  const unclear = columns.filter(({ title, field, certainty }, at) => {
    if (field !== null || certainty === "chosen") return false;
    const word = wordOf(title);
    if (STATE_TITLE.test(word) || (!isKnown && PAYMENT_TITLE.test(word))) return true;
    const values = distinct(valuesAt(at));
    const known = values.filter((value) => fields.some((name) => isUsual(kind.words![name]!, value)));
    return known.length > 0 && known.length * 2 >= values.length;
  });
  const where = fields.join(" or ");
  return [
    ...questions,
    ...unclear.map(
      ({ title }) => `${JSON.stringify(title)} may hold states: say whether it is ${where}, or ignore it`,
    ),
  ];
}

/** Yes, no and numbers are in columns of all kinds. */
function isUsual(meanings: Meanings, value: string): boolean {
  return /^\p{L}{4}/u.test(value) && value.toLowerCase() !== "none" && meaningOf(meanings, value) !== null;
}

function unknownColumns({ columns }: Fields): Failure {
  const names = columns.map(([name]) => name).join(", ");
  return new Failure("malformed", `No column is known; these are possible: ${names}`);
}
