import { CsvError, parse } from "csv-parse/sync";
import { restored } from "../../csv.ts";
import { Failure } from "../../failure.ts";

const MISPLACED_QUOTE =
  "has a quote that neither begins nor ends a value; write it twice, and put the whole value in quotes";

/** A line of a CSV file by column name, or its fault. */
export interface Row {
  line: number;
  values: Record<string, string> | null;
  /** Why there are no values. */
  fault: string | null;
}

/** The accepted names of a column; the first is ours. */
export type Columns = readonly string[];

/** The form of a CSV file. */
export interface CsvForm {
  columns: readonly Columns[];
  delimiter: string;
  /** Called with the titles of ignored columns, if there are any. */
  onUnknown: (titles: string[]) => void;
}

/**
 * Reads the lines of a CSV file (RFC 4180, UTF-8, with a header). It accepts the column names of other
 * programs, in any case and with any marks between words: `First Name` is `first_name`.
 *
 * @throws Failure `malformed` for a file with none of the columns
 */
export async function* readCsv(
  pieces: Pieces,
  { columns, delimiter, onUnknown }: CsvForm,
): AsyncGenerator<Row> {
  let names: (string | null)[] | null = null;
  for await (const { line, values } of readRecords(pieces, delimiter)) {
    if (names !== null) yield toRow(values, names, line);
    else {
      if (values === null) throw new Failure("malformed", `The header ${MISPLACED_QUOTE}`);
      names = columnNames(values, columns);
      const unknown = values.filter((title, at) => title !== "" && names?.[at] === null);
      if (unknown.length > 0) onUnknown(unknown);
    }
  }
}

function toRow(record: string[] | null, names: (string | null)[], line: number): Row {
  if (record === null) return { line, values: null, fault: MISPLACED_QUOTE };
  if (record.length !== names.length) {
    const fault = `has ${record.length} columns, while the header has ${names.length}`;
    return { line, values: null, fault };
  }
  // Without a prototype, so that a missing column never reads as a property of Object.
  const values = Object.create(null) as Record<string, string>;
  for (const [at, name] of names.entries())
    if (name !== null && record[at]) values[name] ??= restored(record[at]);
  return { line, values, fault: null };
}

/** Maps each column to our name. null: an ignored column. */
function columnNames(header: string[], columns: readonly Columns[]): (string | null)[] {
  const names = header.map((title) => {
    const word = title
      .trim()
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_");
    return columns.find((known) => known.includes(word))?.[0] ?? null;
  });
  if (names.some((name) => name !== null)) return names;
  throw new Failure(
    "malformed",
    `No column is known; these are possible: ${columns.map(([name]) => name).join(", ")}`,
  );
}

/** A quote that stays open for longer is a mistake; the longest field takes 10,000 characters. */
const MAX_RECORD_CHARACTERS = 65_536;

/** One record of a CSV file, and its first line's number. */
interface CsvRecord {
  line: number;
  /** null: its quotes make no sense. */
  values: string[] | null;
}

/**
 * Yields the records of a CSV file (RFC 4180), without blank ones. A misplaced quote costs only its own line:
 * reading goes on at the next line.
 */
async function* readRecords(pieces: Pieces, delimiter: string): AsyncGenerator<CsvRecord> {
  const waiting: string[] = [];
  let line = 1;

  function* take(isAtEnd: boolean): Generator<CsvRecord> {
    while (waiting.length > 0) {
      const count = lineCount(waiting);
      if (count === null && !isAtEnd && !isTooLong(waiting)) return;
      const values = count === null ? null : parseRecord(waiting.slice(0, count).join("\n"), delimiter);
      if (values?.length !== 0) yield { line, values };
      // Quotes that make no sense say nothing about the next lines.
      const taken = values === null ? 1 : (count ?? 1);
      waiting.splice(0, taken);
      line += taken;
    }
  }

  for await (const text of readLines(pieces)) {
    waiting.push(text);
    yield* take(false);
  }
  yield* take(true);
}

/** Counts the lines of the first record: quotes come in pairs, including doubled ones. null: it goes on. */
function lineCount(lines: string[]): number | null {
  let isOpen = false;
  for (const [at, text] of lines.entries()) {
    if (text.split('"').length % 2 === 0) isOpen = !isOpen;
    if (!isOpen) return at + 1;
  }
  return null;
}

function isTooLong(lines: string[]): boolean {
  return lines.reduce((length, text) => length + text.length + 1, 0) > MAX_RECORD_CHARACTERS;
}

function parseRecord(text: string, delimiter: string): string[] | null {
  try {
    const [record = []] = parse(text, {
      bom: true,
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    return record;
  } catch (error) {
    // With these options the parser reports no fault except a quote's.
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** No real CSV file has longer lines. */
const MAX_LINE_CHARACTERS = 1_000_000;

/** A text in pieces, such as a stream of a file. */
type Pieces = Iterable<string> | AsyncIterable<string>;

/** Yields the lines of a text, with any line ends, without them. @throws Failure `malformed` for endless ones */
async function* readLines(pieces: Pieces): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of pieces) {
    // A carriage return at the end of a chunk may belong to a line feed in the next one.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARACTERS)
      throw new Failure("malformed", `The file has a line of more than ${MAX_LINE_CHARACTERS} characters`);
    yield* lines;
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}
