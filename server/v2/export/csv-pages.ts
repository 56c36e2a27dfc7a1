import { csvForPeople, type Decimal, type Line } from "../../csv.ts";
import { decimalOf } from "../../domain/payments-batch/files/payment.ts";
import type { Unit } from "../../domain/money/unit.ts";

/** An amount as spreadsheets and `tidemark import-csv` read it: `-12.50` in money, whole numbers in other units. */
export function amountCell(amount: number, unit: Unit, currency: string): Decimal {
  const size = Math.abs(amount);
  const written = unit === "cash" ? decimalOf(size, currency) : String(size);
  return { decimal: amount < 0 ? `-${written}` : written };
}

/** Writes a CSV file page by page, so that a long one takes no more memory than a page. */
export async function* csvPages(columns: string[], pages: AsyncIterable<Line[]>): AsyncGenerator<string> {
  yield csvForPeople([], { columns, header: true });
  for await (const lines of pages) if (lines.length > 0) yield csvForPeople(lines, { columns });
}
