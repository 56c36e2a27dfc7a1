import { stringify } from "csv-stringify/sync";
import { decimalOf } from "../../domain/payments-batch/files/payment.ts";
import type { Unit } from "../../domain/money/unit.ts";

/** An amount with decimals. Unlike a text, it may begin with a minus. */
export interface Decimal {
  decimal: string;
}

/** One line of a file, by column. */
export type Line = Record<string, string | number | boolean | null | Decimal>;

/** An amount as spreadsheets and `tidemark import-csv` read it: `-12.50` in money, whole numbers in other units. */
export function amountCell(amount: number, unit: Unit, currency: string): Decimal {
  const size = Math.abs(amount);
  const written = unit === "cash" ? decimalOf(size, currency) : String(size);
  return { decimal: amount < 0 ? `-${written}` : written };
}

/** Writes a CSV file page by page, so that a long one takes no more memory than a page. */
export async function* csvPages(columns: string[], pages: AsyncIterable<Line[]>): AsyncGenerator<string> {
  const form = {
    columns,
    record_delimiter: "windows",
    // Spreadsheets would run a name such as `=HYPERLINK(…)` as a formula.
    escape_formulas: true,
    cast: {
      boolean: String,
      object: (value: object) => ({ value: (value as Decimal).decimal, escape_formulas: false }),
    },
  } as const;
  yield stringify([], { ...form, columns, header: true });
  for await (const lines of pages) if (lines.length > 0) yield stringify(lines, { ...form, columns });
}
