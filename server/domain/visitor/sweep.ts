import type { Visitor } from "./record.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { servedAccounts } from "../account/account.ts";
import { isExpired, removeVisitor, visitors } from "./visitor.ts";

/** Visitors in one commit: enough to share its cost, few enough to let other requests in. */
const REMOVED_AT_ONCE = 100;

/** The parameters of a sweep. */
interface Sweep {
  store: Store;
  clock: () => Date;
  /** Ties a commit to the right to sweep. */
  guard: (tx: Transaction) => Promise<void>;
}

/**
 * Goes through all visitors in small steps and removes the expired ones. Their clicks keep counting. An interrupted
 * sweep leaves nothing half done. The next one starts over.
 */
export async function* sweepVisitors(sweep: Sweep): AsyncGenerator<void> {
  const { store, clock } = sweep;
  for await (const { id } of servedAccounts(store)) {
    for await (const chunk of store.scan(visitors, "id", id, [])) {
      const now = clock();
      const expired = chunk.filter((visitor) => isExpired(visitor, now));
      for (let at = 0; at < expired.length; at += REMOVED_AT_ONCE) {
        await remove(sweep, expired.slice(at, at + REMOVED_AT_ONCE));
      }
      yield;
    }
  }
}

async function remove({ store, guard }: Sweep, expired: Visitor[]): Promise<void> {
  await store.transact(async (tx) => {
    await guard(tx);
    for (const { accountId, tid, createdAt } of expired) {
      const visitor = await tx.get(visitors, accountId, tid);
      // A visitor who has returned meanwhile has a new record.
      if (visitor?.createdAt === createdAt) await removeVisitor(tx, visitor);
    }
  });
}
