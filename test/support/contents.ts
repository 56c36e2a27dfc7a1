import type { Engine } from "../../server/storage/session.ts";
import { sqlName } from "../../server/storage/sql.ts";
import { SUM_TABLES, TABLES } from "../../server/tables.ts";
import type { Item } from "../../server/transfer/item.ts";
import { itemsIn } from "../../server/transfer/stored-items.ts";

/** All rows of a store but its mark, a line each, in some order that is the same each time. Sums of zero say nothing. */
export async function contentsOf({ reads }: Engine): Promise<string[]> {
  const rowsOf = async (name: string, from: string, columns = "*") =>
    (await reads.all({ text: `select ${columns} from ${from}`, values: [] })).map(
      (row) => `${name} ${row.join(" ")}`,
    );
  const found = await Promise.all([
    ...TABLES.map((table) =>
      rowsOf(table.name, sqlName(table), ["account_id", ...Object.keys(table.columns), "doc"].join()),
    ),
    rowsOf("ids", "ids"),
    ...SUM_TABLES.map(({ name, sums }) =>
      rowsOf(name, `${name} where ${sums.map((column) => `${column} <> 0`).join(" or ")}`),
    ),
    rowsOf("items", "items where key not like '%layout%'"),
  ]);
  return found.flat().toSorted();
}

/** Everything that a store holds, as an export has it. */
export async function allItemsIn({ reads }: Engine): Promise<Item[]> {
  const items: Item[] = [];
  for await (const chunk of itemsIn(reads)) items.push(...chunk);
  return items;
}
