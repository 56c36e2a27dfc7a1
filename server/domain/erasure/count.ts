import type { ErasureCount } from "../account/record.ts";
import { table } from "../../storage/table.ts";
import type { Reader, Store } from "../../storage/store.ts";

export const erasureCounts = table<ErasureCount>()({
  name: "erasure-count",
  columns: { id: ["integer", () => 1] },
});

/**
 * How many erasures an account has had. Code that copies personal data reads this number before it reads the data,
 * and again in the transaction that writes the copy. If the number has grown, the copy may hold erased data.
 */
export async function countErasures(reader: Reader, accountId: number): Promise<number> {
  return (await reader.get(erasureCounts, accountId, 1))?.count ?? 0;
}

/** Adds one. From then on nothing that was read before is written. */
export async function countErasure(store: Store, accountId: number): Promise<void> {
  await store.transact(async (tx) =>
    tx.put(erasureCounts, { accountId, count: (await countErasures(tx, accountId)) + 1 }),
  );
}
