import type { Account } from "../../domain/program/account/account.ts";
import { marked } from "../../storage/marks.ts";
import { recordJson } from "../../storage/record.ts";
import { sqlName } from "../../storage/sql.ts";
import type { Store } from "../../storage/store.ts";
import { TABLES, type AnyRecord, type AnyTable } from "../../tables.ts";

/**
 * Yields the records of an account as lines of JSON, each with its table as `kind`, for other programs. They lack secrets. Only a
 * part of them is in memory at a time.
 */
export async function* accountLines(store: Store, { id }: Account): AsyncGenerator<string> {
  for (const table of TABLES) {
    const secrets = [...marked(table, "isSecret"), ...marked(table, "isSealed")];
    for await (const chunk of store.scan(table, "id", id, [])) {
      if (chunk.length > 0) yield chunk.map((record) => lineOf(table, record, secrets)).join("");
    }
  }
}

function lineOf(table: AnyTable, record: AnyRecord, secrets: readonly string[]): string {
  const shown = Object.fromEntries(Object.entries(record).filter(([name]) => !secrets.includes(name)));
  return `${recordJson(table, { kind: sqlName(table), ...shown } as unknown as AnyRecord)}\n`;
}
