import { setImmediate as othersTurn } from "node:timers/promises";
import { CsvError, parse } from "csv-parse/sync";
import { Failure } from "../../failure.ts";
import { delimiterOf, readText, type CsvFile } from "./text.ts";

/** The maximum number of columns. More are a mistake, and analysing them would be slow. */
const MOST_COLUMNS = 200;

const MISPLACED_QUOTE =
  "has a quote that neither begins nor ends a value; write it twice, and put the whole value in quotes";

/** A line of a CSV file, or its fault. */
export interface CsvLine {
  line: number;
  /** The cells, as many as the header has, or null if the line is faulty. */
  cells: string[] | null;
  /** Why there are no cells. */
  fault: string | null;
}

/** The header of a CSV file, and the separator of its columns. */
export interface CsvHeader {
  titles: string[];
  delimiter: string;
}

/** Reads the header of a CSV file. A `delimiter` of null is detected. @throws Failure `malformed` */
export async function readHeader(file: CsvFile, delimiter: string | null): Promise<CsvHeader> {
  const found = delimiter ?? delimiterOf(await firstLine(file));
  for await (const { values } of readRecords(readText(file), found)) {
    if (values === null) throw new Failure("malformed", `The header ${MISPLACED_QUOTE}`);
    if (values.length > MOST_COLUMNS) {
      const count = values.length.toLocaleString("en");
      throw new Failure("malformed", `The file has ${count} columns; at most ${MOST_COLUMNS} are read`);
    }
    return { titles: values, delimiter: found };
  }
  throw new Failure("malformed", "The file is empty");
}

/** Yields the lines below the header of a CSV file (RFC 4180). @throws Failure `malformed` */
export async function* readLines(file: CsvFile, { titles, delimiter }: CsvHeader): AsyncGenerator<CsvLine> {
  let isHeader = true;
  for await (const { line, values } of readRecords(readText(file), delimiter)) {
    if (!isHeader) yield cellsOf(values, titles.length, line);
    isHeader = false;
  }
}

function cellsOf(values: string[] | null, columnCount: number, line: number): CsvLine {
  if (values === null) return { line, cells: null, fault: MISPLACED_QUOTE };
  if (values.length === columnCount) return { line, cells: values, fault: null };
  const fault = `has ${values.length} columns, while the header has ${columnCount}`;
  return { line, cells: null, fault };
}

async function firstLine(file: CsvFile): Promise<string> {
  for await (const text of splitLines(readText(file))) if (text.trim() !== "") return text;
  return "";
}

/** A quote that stays open for longer is a mistake; the longest field has 10,000 characters. */
const MAX_RECORD_CHARACTERS = 65_536;

/** Characters that are parsed before others get their turn: a tenth of a second on a slow machine. */
const TURN_CHARACTERS = 50_000;

/** One record of a CSV file, and its first line's number. */
interface CsvRecord {
  line: number;
  /** Null if quotes are misplaced. */
  values: string[] | null;
}

/**
 * Yields the records of a CSV file (RFC 4180), without blank ones. A misplaced quote affects only its own line: reading
 * continues with the next line.
 */
async function* readRecords(pieces: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  const waiting: string[] = [];
  let line = 1;

  function* take(isAtEnd: boolean): Generator<CsvRecord> {
    while (waiting.length > 0) {
      const count = lineCount(waiting);
      if (count === null && !isAtEnd && !isTooLong(waiting)) return;
      const values = count === null ? null : parseRecord(waiting.slice(0, count).join("\n"), delimiter);
      if (values?.length !== 0) yield { line, values };
      // Misplaced quotes must not affect the next lines.
      const taken = values === null ? 1 : (count ?? 1);
      waiting.splice(0, taken);
      line += taken;
    }
  }

  let sinceTurn = 0;
  for await (const text of splitLines(pieces)) {
    sinceTurn += text.length;
    if (sinceTurn > TURN_CHARACTERS) {
      sinceTurn = 0;
      await othersTurn();
    }
    waiting.push(text);
    yield* take(false);
  }
  yield* take(true);
}

/** Counts the lines of the first record by pairing quotes. Returns null if the record is incomplete. */
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
    // With these options, the parser only reports misplaced quotes.
    if (error instanceof CsvError) return null;
    throw error;
  }
}

/** No real CSV file has longer lines, and each is parsed without a pause. */
const MAX_LINE_CHARACTERS = 250_000;

/** Yields the lines of a text without their line ends. @throws Failure `malformed` if a line is too long */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of pieces) {
    // A carriage return at the end of a chunk may be followed by a line feed in the next one.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of lines) yield ofUsualLength(line);
    ofUsualLength(rest);
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}

function ofUsualLength(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const most = MAX_LINE_CHARACTERS.toLocaleString("en");
  throw new Failure("malformed", `The file has a line of more than ${most} characters`);
}
