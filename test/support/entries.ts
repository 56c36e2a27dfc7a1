import type { Engine } from "../../server/storage/session.ts";
import { keyOf, sqlName } from "../../server/storage/sql.ts";
import type { KeyPart, Table } from "../../server/storage/table.ts";

/** Everything in a table's row that tells: the noun, the account, the key and the document. */
export interface Entry {
  table: string;
  accountId: number;
  key: KeyPart[];
  doc: string;
}

/** All records of a store, in the order of accounts, nouns and keys. */
export async function entriesIn(
  engine: Pick<Engine, "snapshot">,
  tables: readonly Table<never>[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const snapshot = await engine.snapshot();
  try {
    for (const table of tables) {
      const rows = await snapshot.all({ text: `select account_id, doc from ${sqlName(table)}`, values: [] });
      for (const [accountId, doc] of rows) {
        const key = keyOf(table, JSON.parse(String(doc)) as never);
        entries.push({ table: table.name, accountId: Number(accountId), key, doc: String(doc) });
      }
    }
  } finally {
    await snapshot.close();
  }
  return entries.sort(
    (one, other) =>
      one.accountId - other.accountId || compare(one.table, other.table) || compareKeys(one.key, other.key),
  );
}

function compareKeys(one: KeyPart[], other: KeyPart[]): number {
  return one.map((part, at) => compare(part, other[at]!)).find((order) => order !== 0) ?? 0;
}

function compare<T extends KeyPart>(one: T, other: T): number {
  return one < other ? -1 : Number(one > other);
}
