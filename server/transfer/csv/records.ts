import { CsvError, parse } from "csv-parse/sync";
import { readLines, type Pieces } from "./lines.ts";

/** A quote that stays open for longer is a mistake; the longest field takes 10,000 characters. */
const MAX_RECORD_CHARACTERS = 65_536;

/** One record of a CSV file, and its first line's number. */
export interface CsvRecord {
  line: number;
  /** null: its quotes make no sense. */
  values: string[] | null;
}

/**
 * Yields the records of a CSV file (RFC 4180), without blank ones. A misplaced quote costs only its own line:
 * reading goes on at the next line.
 */
export async function* readRecords(pieces: Pieces, delimiter: string): AsyncGenerator<CsvRecord> {
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
