import { stringify, type Options } from "csv-stringify/sync";

/**
 * Where a spreadsheet may begin a formula: at the beginning of a cell, and after any character that it may
 * read as the separator. Blanks and quotes before a formula don't stop every spreadsheet.
 */
const FORMULA = /(^|[,;|\t\r\n])([ \u00a0"']*)(?=[=+\-@＝＋－＠])/g;
const DEFUSED = /(^|[,;|\t\r\n])([ \u00a0"']*)'(?=[=+\-@＝＋－＠])/g;
/** Spreadsheets drop a blank line or a tab at the beginning, and read on. */
const GAP = /^('*)(?=[\t\r\n])/;
const DEFUSED_GAP = /^('*)'(?=[\t\r\n])/;

/**
 * A text that no spreadsheet executes: `'` is put in front of a possible formula.
 *
 * @see docs/spec/v2.md "CSV files"
 */
export function defused(text: string): string {
  return text.replace(FORMULA, "$1$2'").replace(GAP, "$1'");
}

/** Reverses `defused`. */
export function restored(text: string): string {
  return text.replace(DEFUSED_GAP, "$1").replace(DEFUSED, "$1$2");
}

/** A number that is written unchanged. Unlike a text, it may begin with a minus. */
export interface Decimal {
  decimal: string;
}

/** One line of a CSV file, by column. */
export type Line = Record<string, string | number | boolean | null | Decimal>;

/**
 * A line break within a cell needs quotes, and so does each character that a reader may take for the
 * separator.
 */
const FORM = { record_delimiter: "windows", quoted_match: /[\r\n\t;|]/ } as const;

/** A CSV file, or a part of one, for people who open it in a spreadsheet. */
export function csvForPeople(lines: object[], form: Pick<Options, "columns" | "header">): string {
  return stringify(lines, {
    ...FORM,
    ...form,
    cast: {
      string: defused,
      boolean: String,
      object: (value: object) => (value as Decimal).decimal,
    },
  });
}

/** A CSV file for programs: cells are written unchanged. */
export function csvForMachines(lines: object[], form: Pick<Options, "header"> = {}): string {
  return stringify(lines, { ...FORM, ...form });
}
