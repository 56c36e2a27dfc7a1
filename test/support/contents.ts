import { NO_SEAL } from "../../server/seal.ts";
import { openRow } from "../../server/storage/sealed.ts";
import { orderedJson } from "../../server/storage/digests.ts";
import type { Engine, Values } from "../../server/storage/session.ts";
import type { Table } from "../../server/storage/table.ts";
import { sqlName } from "../../server/storage/sql.ts";
import { SUM_TABLES, TABLES } from "../../server/tables.ts";
import { showing } from "../../server/transfer/export.ts";
import type { Item } from "../../server/transfer/item.ts";
import { itemsIn } from "../../server/transfer/stored-items.ts";

/**
 * All rows of a store but its mark and kept texts, a line each, in some order that is the same each time. Sums of zero say nothing, and a
 * secret is sealed differently each time, so it is shown.
 */
export async function contentsOf({ reads, seal = NO_SEAL }: Engine): Promise<string[]> {
  const rowsOf = async (name: string, from: string, columns = "*") =>
    (await reads.all({ text: `select ${columns} from ${from}`, values: [] })).map(
      (row) => `${name} ${row.join(" ")}`,
    );
  const found = await Promise.all([
    ...TABLES.map(async (table) => {
      const columns = table.selected;
      const rows = await reads.all({ text: `select ${columns} from ${sqlName(table)}`, values: [] });
      return rows.map((row) => {
        const shown =
          table.sealed === undefined ? inOrder(table, row) : [orderedJson(openRow(table, row, seal))];
        return [table.name, ...shown].join(" ");
      });
    }),
    rowsOf("ids", "ids"),
    ...SUM_TABLES.map(({ name, sums }) =>
      rowsOf(name, `${name} where ${sums.map((column) => `${column} <> 0`).join(" or ")}`),
    ),
  ]);
  return found.flat().toSorted();
}

/** The values of a row. Each engine writes documents in an order of its own. */
function inOrder({ names, fields }: Table<never>, row: Values): unknown[] {
  return row.map((value, at) => {
    if (fields[names[at]!]?.type !== "json") return value;
    try {
      return orderedJson(JSON.parse(String(value)));
    } catch {
      return value; // some tests damage a document
    }
  });
}

/** Everything that a store holds, as an export with all details has it. */
export async function allItemsIn({ reads, seal = NO_SEAL }: Engine): Promise<Item[]> {
  const items: Item[] = [];
  const show = showing("plain", seal);
  for await (const chunk of itemsIn(reads)) items.push(...show(chunk));
  return items;
}
