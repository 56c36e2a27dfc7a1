import type { Store, Transaction } from "./store.ts";
import type { Table } from "./table.ts";

/** The records below one value of an index. */
interface OwnedRange<Listed extends string> {
  accountId: number;
  index: Listed | "id";
  ownerId: number;
}

/** Loads all records that belong to another record, for example all promoter campaigns of a promoter. */
export async function loadOwnedRecords<R extends { accountId: number }, Listed extends string>(
  [tx]: [Transaction, Store],
  from: Table<R, string, Listed>,
  { accountId, index, ownerId }: OwnedRange<NoInfer<Listed>>,
): Promise<R[]> {
  const owned: R[] = [];
  for await (const chunk of tx.view.scan(from, index, accountId, [ownerId])) owned.push(...chunk);
  return owned;
}
