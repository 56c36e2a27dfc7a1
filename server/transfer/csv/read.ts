import { restored } from "../../csv.ts";
import { Failure } from "../../failure.ts";
import type { Pieces } from "./lines.ts";
import { readRecords } from "./records.ts";

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
