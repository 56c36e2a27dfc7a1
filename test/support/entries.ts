import { NO_SEAL } from "../../server/seal.ts";
import { orderedJson } from "../../server/storage/digests.ts";
import { openRow } from "../../server/storage/sealed.ts";
import type { Engine } from "../../server/storage/session.ts";
import { keyOf } from "../../server/storage/record.ts";
import { sqlName } from "../../server/storage/sql.ts";
import type { KeyPart, Table } from "../../server/storage/table.ts";

/** Everything in a table's row that tells: the noun, the account, the key and the record. */
export interface Entry {
  table: string;
  account_id: number;
  key: KeyPart[];
  doc: string;
}

/** All records of a store with their secrets, in the order of accounts, nouns and keys. */
export async function entriesIn(
  { seal = NO_SEAL, ...engine }: Pick<Engine, "snapshot" | "seal">,
  tables: readonly Table<never>[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const snapshot = await engine.snapshot();
  try {
    for (const table of tables) {
      const text = `select ${table.selected} from ${sqlName(table)}`;
      for (const row of await snapshot.all({ text, values: [] })) {
        const record: never = openRow(table, row, seal);
        const key = keyOf(table, record);
        entries.push({ table: table.name, account_id: Number(row[0]), key, doc: orderedJson(record) });
      }
    }
  } finally {
    await snapshot.close();
  }
  return entries.sort(
    (one, other) =>
      one.account_id - other.account_id || compare(one.table, other.table) || compareKeys(one.key, other.key),
  );
}

function compareKeys(one: KeyPart[], other: KeyPart[]): number {
  return one.map((part, at) => compare(part, other[at]!)).find((order) => order !== 0) ?? 0;
}

function compare<T extends KeyPart>(one: T, other: T): number {
  return one < other ? -1 : Number(one > other);
}
