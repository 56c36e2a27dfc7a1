import { SYSTEM, type Visitor } from "../records.ts";
import type { Store, Transaction } from "../storage/store.ts";
import { accounts } from "./account.ts";
import { isExpired, removeVisitor, visitors } from "./visitor.ts";

/** Visitors of one commit: enough to share its cost, few enough to leave others their turn. */
const REMOVED_AT_ONCE = 100;

/** What a sweep needs to know. */
interface Sweep {
  store: Store;
  clock: () => Date;
  /** Binds a commit to the right to sweep. */
  guard: (tx: Transaction) => Promise<void>;
}

/**
 * Walks over all visitors, some in each step, and removes those whose cookies have ended. Their clicks go on
 * counting. A sweep that was cut short leaves nothing half done: the next one begins anew.
 */
export async function* sweepVisitors(sweep: Sweep): AsyncGenerator<void> {
  const { store, clock } = sweep;
  for await (const owners of store.scan(accounts, "id", SYSTEM, [])) {
    for (const { id } of owners) {
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
}

async function remove({ store, guard }: Sweep, expired: Visitor[]): Promise<void> {
  await store.transact(async (tx) => {
    await guard(tx);
    for (const { accountId, tid, createdAt } of expired) {
      const visitor = await tx.get(visitors, accountId, tid);
      // One who has come again since is another visitor.
      if (visitor?.createdAt === createdAt) await removeVisitor(tx, visitor);
    }
  });
}
