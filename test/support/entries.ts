import { NO_SEAL } from "../../server/seal.ts";
import { openDoc } from "../../server/storage/sealed.ts";
import type { Engine } from "../../server/storage/session.ts";
import { keyOf, sqlName } from "../../server/storage/sql.ts";
import type { KeyPart, Table } from "../../server/storage/table.ts";

/** Everything in a table's row that tells: the noun, the account, the key and the document. */
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
      const rows = await snapshot.all({ text: `select account_id, doc from ${sqlName(table)}`, values: [] });
      for (const [accountId, stored] of rows) {
        const key = keyOf(table, JSON.parse(String(stored)) as never);
        const doc = table.sealed ? JSON.stringify(openDoc(table, String(stored), seal)) : String(stored);
        entries.push({ table: table.name, account_id: Number(accountId), key, doc });
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
