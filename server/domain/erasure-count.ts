import type { ErasureCount } from "../records.ts";
import { collection } from "../storage/collection.ts";
import type { Reader, Store } from "../storage/store.ts";

export const erasureCounts = collection<ErasureCount>()({
  name: "erasure-count",
  id: () => [1],
  claims: {},
  indexes: {},
});

/**
 * The erasures of an account so far. Whoever copies what names people reads it before, and in the transaction
 * that writes the copy again: where it has grown in between, the copy may hold what is erased.
 */
export async function countErasures(reader: Reader, accountId: number): Promise<number> {
  return (await reader.get(erasureCounts, accountId, 1))?.count ?? 0;
}

/** Counts one more: from then on no copy is written of what was read before. */
export async function countErasure(store: Store, accountId: number): Promise<void> {
  await store.transact(async (tx) =>
    tx.put(erasureCounts, { accountId, count: (await countErasures(tx, accountId)) + 1 }),
  );
}
