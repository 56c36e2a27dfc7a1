import type { Account } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { freezes } from "../storage/freeze.ts";
import { openStore } from "../storage/open.ts";
import { withIds, type Store } from "../storage/store.ts";
import { ownerOf } from "../storage/table.ts";
import { TABLES, type AnyTable } from "../tables.ts";

/** Larger than any id in a store, so that new records of a copy never collide with copied ones. */
const FIRST_ID = 2 ** 40;

/** Tries work on a copy of an account in memory, so that nothing is written to the store. */
export async function onCopy<T>(
  from: Store,
  account: Account,
  work: (copy: Store) => Promise<T>,
): Promise<T> {
  const copy = await openStore("memory:", { tables: TABLES, seal: from.seal });
  try {
    for (const table of TABLES) {
      if (table.name === freezes.name) continue;
      for (const accountId of [SYSTEM, account.id])
        await copyRecords([from, copy], table, { account_id: accountId, account });
    }
    let next = FIRST_ID;
    return await work(withIds(copy, async () => next++));
  } finally {
    await copy.close();
  }
}

/** Copies records of the account and shared records. */
async function copyRecords(
  [from, to]: [Store, Store],
  table: AnyTable,
  { account_id, account }: { account_id: number; account: Account },
): Promise<void> {
  for await (const chunk of from.scan(table, "id", account_id, [])) {
    const own = chunk.filter((record) => [SYSTEM, account.id].includes(ownerOf(table, record)));
    if (own.length === 0) continue;
    await to.transact(async (tx) => {
      for (const record of own) await tx.insert(table, record);
    });
  }
}
