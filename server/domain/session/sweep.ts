import { SYSTEM } from "../account/account.ts";
import { hasEnded, sessions } from "./session.ts";
import { withoutFrozen } from "../../storage/freeze.ts";
import type { Store, Transaction } from "../../storage/store.ts";

/** The parameters of a sweep. */
interface Sweep {
  store: Store;
  clock: () => Date;
  /** Ties a commit to the right to sweep. */
  guard: (tx: Transaction) => Promise<void>;
}

/** Removes the sessions that have ended. An interrupted sweep leaves nothing half done. */
export async function* sweepSessions({ store, clock, guard }: Sweep): AsyncGenerator<void> {
  for await (const chunk of store.scan(sessions, "id", SYSTEM, [])) {
    const now = clock();
    const over = chunk.filter((session) => hasEnded(session, now));
    const owned = over.map(({ hash, holder }) => ({ hash, ownerId: holder.accountId }));
    const ended = await withoutFrozen(store, owned);
    if (ended.length > 0) {
      await store.transact(async (tx) => {
        await guard(tx);
        for (const { hash } of ended) {
          const current = await tx.get(sessions, SYSTEM, hash);
          if (current !== null && hasEnded(current, now)) await tx.remove(sessions, SYSTEM, hash);
        }
      });
    }
    yield;
  }
}
