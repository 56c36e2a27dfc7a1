import { Failure } from "../../failure.ts";
import { lengthCounter, type Collection } from "../collection.ts";
import type { Store, Transaction } from "../store.ts";

/** The records below one value of a counted index. */
interface OwnedRange<Index extends string> {
  accountId: number;
  index: Index | "id";
  ownerId: number;
}

/**
 * Loads all records that belong to another record, for example all promoter campaigns of a promoter. A listing alone
 * would miss a record that is added meanwhile. So this reads the counter first, then each record by key, and as many
 * must be listed as were counted. Records that this transaction has taken away are left out.
 *
 * @throws Failure `conflict` if they do not
 */
export async function loadOwnedRecords<R extends { accountId: number }, Index extends string>(
  [tx, store]: [Transaction, Store],
  from: Collection<R, string, Index>,
  { accountId, index, ownerId }: OwnedRange<NoInfer<Index>>,
): Promise<R[]> {
  const total = await tx.sum(accountId, lengthCounter(from, index, [ownerId]));
  const owned: R[] = [];
  let listedCount = 0;
  for await (const chunk of store.scan(from, index, accountId, [ownerId])) {
    listedCount += chunk.length;
    for (const listed of chunk) {
      const record = await tx.get(from, accountId, ...from.id(listed));
      if (record === null) continue;
      const [owner] = (index === "id" ? from.id : from.indexes[index])(record) ?? [];
      if (owner === ownerId) owned.push(record);
    }
  }
  if (listedCount !== total) throw new Failure("conflict", "The records changed meanwhile; try again");
  return owned;
}
