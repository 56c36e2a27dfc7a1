import { Failure } from "../../failure.ts";
import { freezes, type Freeze } from "../../storage/freeze.ts";
import type { Store } from "../../storage/store.ts";

/**
 * Lets an account take no more changes. When it returns, every change that was answered before is in the store, and none
 * comes after it.
 *
 * @throws Failure `refused` if the account is being removed
 */
export function freeze(store: Store, accountId: number, state: Freeze["state"]): Promise<void> {
  return store.transact(async (tx) => {
    const current = await tx.get(freezes, accountId, 1);
    if (current?.state === "removed" && state !== "removed") throw beingRemoved();
    await tx.put(freezes, { accountId, state });
  });
}

/**
 * Lets an account take changes again. `isSure`: even if another store has a copy.
 *
 * @throws Failure `refused` if the account is being removed, or was moved
 */
export function unfreeze(store: Store, accountId: number, { isSure }: { isSure: boolean }): Promise<void> {
  return store.transact(async (tx) => {
    const current = await tx.get(freezes, accountId, 1);
    if (current?.state === "removed") throw beingRemoved();
    if (current?.state === "moved" && !isSure) {
      throw new Failure(
        "refused",
        "Another store has a copy of the account. If a server uses that one, the two drift apart: say --yes if none does",
      );
    }
    await tx.remove(freezes, accountId, 1);
  });
}

function beingRemoved(): Failure {
  return new Failure("refused", "The account is being removed: `tidemark account remove` completes it");
}
