import { Failure } from "../failure.ts";
import { lengthCounter, type Collection } from "../storage/collection.ts";
import type { Store, Transaction } from "../storage/store.ts";

/** Records below one value of an index whose lengths are counted. */
interface OwnedRange<Index extends string> {
  accountId: number;
  index: Index | "id";
  ownerId: number;
}

/**
 * All records that belong to another, so that the commit notices one that is made meanwhile, which a
 * listing alone would miss: as many of them are read by key as the counter, read before, knows.
 *
 * @throws Failure `conflict` where that cannot be told
 */
export async function loadOwnedRecords<R extends { accountId: number }, Index extends string>(
  [tx, store]: [Transaction, Store],
  from: Collection<R, string, Index>,
  { accountId, index, ownerId }: OwnedRange<NoInfer<Index>>,
): Promise<R[]> {
  const total = await tx.sum(accountId, lengthCounter(from, index, [ownerId]));
  const owned: R[] = [];
  for await (const chunk of store.scan(from, index, accountId, [ownerId])) {
    for (const listed of chunk) {
      const record = await tx.get(from, accountId, ...from.id(listed));
      if (record === null) continue;
      const [owner] = (index === "id" ? from.id : from.indexes[index])(record) ?? [];
      if (owner === ownerId) owned.push(record);
    }
  }
  if (owned.length !== total) throw new Failure("conflict", "The records changed meanwhile; try again");
  return owned;
}
