import { setImmediate as othersTurn } from "node:timers/promises";
import { CsvError, parse } from "csv-parse/sync";
import { Failure } from "../../failure.ts";
import { refuseJson } from "./own-exports.ts";

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
  const first = await firstLine(file);
  refuseJson(first);
  const found = delimiter ?? delimiterOf(first);
  for await (const { values } of readRecords(readText(file), found)) {
    if (values === null) throw new Failure("malformed", `The header ${MISPLACED_QUOTE}`);
    if (values.length > MOST_COLUMNS) {
      const count = values.length.toLocaleString("en");
      throw new Failure("malformed", `The file has ${count} columns; at most ${MOST_COLUMNS} are read`);
    }
    return { titles: numbered(values), delimiter: found };
  }
  throw new Failure("malformed", "The file is empty");
}

/** The second column of a title is called `Title (2)`, so that each can be named. */
function numbered(titles: string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title) => {
    let own = title;
    for (let number = 2; taken.has(own); number += 1) own = `${title} (${number})`;
    if (title !== "") taken.add(own);
    return own;
  });
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
  for await (const lines of splitLines(readText(file))) {
    const first = lines.find((text) => text.trim() !== "");
    if (first !== undefined) return first;
  }
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
  let waiting: string[] = [];
  let line = 1;
  let open = openRecord(waiting);

  function* take(isAtEnd: boolean): Generator<CsvRecord> {
    let from = 0;
    while (from < waiting.length) {
      const count = lineCount(waiting, from);
      if (count === null && !isAtEnd && !isTooLong(openRecord(waiting.slice(from)))) break;
      const values =
        count === null ? null : parseRecord(waiting.slice(from, from + count).join("\n"), delimiter);
      if (values?.length !== 0) yield { line, values };
      // Misplaced quotes must not affect the next lines.
      const taken = values === null ? 1 : (count ?? 1);
      from += taken;
      line += taken;
    }
    waiting = waiting.slice(from);
    open = openRecord(waiting);
  }

  let sinceTurn = 0;
  for await (const lines of splitLines(pieces)) {
    for (const text of lines) {
      sinceTurn += text.length;
      if (sinceTurn > TURN_CHARACTERS) {
        sinceTurn = 0;
        await othersTurn();
      }
      // There may be millions of them, and the parser takes its time.
      if (waiting.length === 0 && text.trim() === "" && !text.includes(delimiter)) {
        line += 1;
        continue;
      }
      waiting.push(text);
      open = withLine(open, text);
      // Each line is looked at once while a quote is open, however many there are.
      if (!open.isOpen || isTooLong(open)) yield* take(false);
    }
  }
  yield* take(true);
}

/** A record whose last line is not read yet. */
interface OpenRecord {
  isOpen: boolean;
  length: number;
}

function openRecord(lines: string[]): OpenRecord {
  return lines.reduce(withLine, { isOpen: false, length: 0 });
}

function withLine({ isOpen, length }: OpenRecord, text: string): OpenRecord {
  return { isOpen: hasOddQuotes(text) ? !isOpen : isOpen, length: length + text.length + 1 };
}

function isTooLong({ length }: OpenRecord): boolean {
  return length > MAX_RECORD_CHARACTERS;
}

/** Counts the lines of the record that begins at `from`: quotes come in pairs, including doubled ones. null: it goes on. */
function lineCount(lines: string[], from: number): number | null {
  let isOpen = false;
  for (let at = from; at < lines.length; at += 1) {
    if (hasOddQuotes(lines[at]!)) isOpen = !isOpen;
    if (!isOpen) return at + 1 - from;
  }
  return null;
}

function hasOddQuotes(text: string): boolean {
  return text.includes('"') && text.split('"').length % 2 === 0;
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

/** Yields the lines of each piece of a text without their line ends. @throws Failure `malformed` if a line is too long */
async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = "";
  for await (const chunk of pieces) {
    // A carriage return at the end of a chunk may be followed by a line feed in the next one.
    const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    for (const line of [...lines, rest]) refuseTooLong(line);
    yield lines;
  }
  if (rest !== "") yield [rest.replace(/\r$/, "")];
}

function refuseTooLong(line: string): void {
  if (line.length <= MAX_LINE_CHARACTERS) return;
  const most = MAX_LINE_CHARACTERS.toLocaleString("en");
  throw new Failure("malformed", `The file has a line of more than ${most} characters`);
}

/** A file as a stream of pieces, which can be read repeatedly. */
export type CsvFile = () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The first bytes of spreadsheets: ZIP, and the older binary format. */
const WORKBOOKS = ["504b0304", "d0cf11e0"];

/**
 * Yields the text of a CSV file. It is UTF-8, or UTF-16 if it begins with a byte order mark, which some spreadsheets write.
 *
 * @throws Failure `malformed` if it is not text
 */
export async function* readText(file: CsvFile): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null;
  for await (const bytes of file()) {
    decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
    const text = decode(decoder, bytes);
    if (text.includes("\0")) throw new Failure("malformed", "The file is not text; save it as CSV (UTF-8)");
    if (text !== "") yield text;
  }
  if (decoder === null) throw new Failure("malformed", "The file is empty");
  const rest = decode(decoder);
  if (rest !== "") yield rest;
}

function encodingOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 4)).toString("hex");
  if (WORKBOOKS.some((mark) => start.startsWith(mark)))
    throw new Failure("malformed", "The file is a workbook or an archive; save the sheet as CSV (UTF-8)");
  if (start.startsWith("fffe")) return "utf-16le";
  return start.startsWith("feff") ? "utf-16be" : "utf-8";
}

/** Without bytes, it returns the rest. */
function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    throw new Failure("malformed", "The file is neither UTF-8 nor UTF-16; save it as CSV (UTF-8)");
  }
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The separator that a header contains most often outside of quotes. */
function delimiterOf(header: string): string {
  const plain = header.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => plain.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}
