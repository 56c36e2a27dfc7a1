import { sql, type SelectQueryBuilder, type SqlBool } from "kysely";
import type { View } from "../../storage/store.ts";
import { csvForPeople, type Decimal, type Line } from "../../csv.ts";
import { decimalOf } from "../../domain/money.ts";
import type { Unit } from "../../domain/money.ts";

/** An amount as spreadsheets and `tidemark import-csv` read it: `-12.50` in money, whole numbers in other units. */
export function amountCell(amount: number, unit: Unit, currency: string): Decimal {
  const size = Math.abs(amount);
  const written = unit === "cash" ? decimalOf(size, currency) : String(size);
  return { decimal: amount < 0 ? `-${written}` : written };
}

/** Rows per query. */
const CHUNK = 1_000;

/** Reads all rows of a query in chunks, in the order of `id`, a column that it selects too. */
export async function* rowsById<S, Names extends keyof S, Row extends { id: number | null }>(
  view: View,
  query: SelectQueryBuilder<S, Names, Row>,
  column: string,
): AsyncGenerator<Row[]> {
  const id = sql.ref<number>(column);
  const ordered = query.orderBy(id).limit(CHUNK);
  for (let last = 0; ;) {
    const rows = await view.rows(ordered.where(sql<SqlBool>`${id} > ${last}`));
    yield rows;
    if (rows.length < CHUNK) return;
    last = Number(rows.at(-1)!.id);
  }
}

/** Writes a CSV file page by page, so that only one page is in memory. */
export async function* csvPages(columns: string[], pages: AsyncIterable<Line[]>): AsyncGenerator<string> {
  yield csvForPeople([], { columns, header: true });
  for await (const lines of pages) if (lines.length > 0) yield csvForPeople(lines, { columns });
}
