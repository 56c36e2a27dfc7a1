import { accounts, type Account } from "../../domain/program/account/account.ts";
import { marked } from "../../storage/marks.ts";
import { recordJson } from "../../storage/record.ts";
import { sqlName } from "../../storage/sql.ts";
import type { Store } from "../../storage/store.ts";
import { TABLES, type AnyRecord, type AnyTable } from "../../tables.ts";

/**
 * Yields an account and its records as lines of JSON, each with its table as `table`, for other programs. They lack secrets. Only
 * a part of them is in memory at a time.
 */
export async function* accountLines(store: Store, account: Account): AsyncGenerator<string> {
  yield linesOf(accounts as unknown as AnyTable, [account]);
  for (const table of TABLES) {
    for await (const chunk of store.scan(table, "id", account.id, [])) {
      if (chunk.length > 0) yield linesOf(table, chunk);
    }
  }
}

function linesOf(table: AnyTable, records: readonly AnyRecord[]): string {
  const secrets = [...marked(table, "isSecret"), ...marked(table, "isSealed")];
  return records.map((record) => lineOf(table, record, secrets)).join("");
}

function lineOf(table: AnyTable, record: AnyRecord, secrets: readonly string[]): string {
  const shown = Object.fromEntries(Object.entries(record).filter(([name]) => !secrets.includes(name)));
  return `${recordJson(table, { table: sqlName(table), ...shown } as unknown as AnyRecord)}\n`;
}
