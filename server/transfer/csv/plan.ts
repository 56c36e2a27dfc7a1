import type { Account } from "../../domain/program/account/account.ts";
import { restored } from "../../csv.ts";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import {
  looksOf,
  matchColumns,
  isAmbiguous,
  plainAmount,
  plainDate,
  writingOf,
  type ChosenColumns,
  type Columns,
  type MatchedColumn,
  type DateOrder,
  type Writing,
} from "./columns.ts";
import { readHeader, readLines, type CsvHeader, type CsvFile } from "./read.ts";

/** How many lines are analysed before a file is read. */
const LOOKED_AT = 500;

/** How the lines of a file become values by field. It is stored as JSON during an import. */
export interface CsvPlan extends CsvHeader {
  /** By column; null if the column is ignored. */
  fields: (string | null)[];
  writings: Writing[];
}

/** A plan, with its explanation for people. */
export interface DrawnPlan {
  plan: CsvPlan;
  columns: MatchedColumn[];
  /** Why the file can't be imported like this, in sentences. */
  faults: string[];
}

/** What the user says about a file. Null values are detected. */
export interface Saying {
  delimiter: string | null;
  dateOrder: DateOrder | null;
  chosen: ChosenColumns;
}

/** The fields of a kind of records. */
export interface Fields {
  columns: readonly Columns[];
  /** Each group needs at least one of its fields. */
  required: readonly (readonly string[])[];
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
  const rows: string[][] = [];
  let seen = 0;
  for await (const { cells } of readLines(file, header)) {
    if (cells !== null) rows.push(cells.map(restored));
    seen += 1;
    if (seen === LOOKED_AT) break;
  }
  const sheet = { titles: header.titles, rows };
  const columns = await matchColumns(store, account, { sheet, fields: kind.columns, chosen: saying.chosen });
  const valuesAt = (at: number) => rows.map((row) => row[at] ?? "").filter((value) => value !== "");
  const writings = columns.map((_, at) => writingOf(valuesAt(at), saying.dateOrder));
  const fields = columns.map(({ field }) => field);
  if (fields.every((field) => field === null)) throw unknownColumns(kind);
  const unclear = columns.filter(
    ({ field }, at) =>
      field !== null && looksOf(field) === "date" && isAmbiguous(valuesAt(at), writings[at]!),
  );
  const faults = [
    ...missingFields(kind, fields),
    ...unclear.map(
      ({ title }) =>
        `The dates of ${JSON.stringify(title)} may begin with the day or with the month: say which of dmy and mdy`,
    ),
  ];
  return { plan: { ...header, fields, writings }, columns, faults };
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
        values[field] ??= plainValue(field, restored(cells[at]), plan.writings[at]!, account);
    }
    yield { line, values, fault: null };
  }
}

function plainValue(field: string, value: string, writing: Writing, { currency }: Account): string {
  const looks = looksOf(field);
  if (looks === "date") return plainDate(value, writing);
  return looks === "amount" ? plainAmount(value, writing, currency) : value;
}

function missingFields({ required }: Fields, fields: (string | null)[]): string[] {
  return required
    .filter((names) => !names.some((name) => fields.includes(name)))
    .map((names) => `No column is called ${names.join(" or ")}`);
}

function unknownColumns({ columns }: Fields): Failure {
  const names = columns.map(([name]) => name).join(", ");
  return new Failure("malformed", `No column is known; these are possible: ${names}`);
}
