import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../failure.ts";
import { freezes, HOLD_POLL_MS, isOver, type Freeze } from "./freeze.ts";
import type { Store, Transaction } from "./store.ts";
import { isLostRace } from "./transaction/transactor.ts";

/** How long others wait for a holder that died. Work that takes longer is tried once more, with twice the time. */
const FIRST_HOLD_MS = 10_000;
const LONGEST_HOLD_MS = 80_000;

/**
 * Runs work in a transaction while nobody else changes the account, so that it can't lose to them again and again. Their
 * changes wait until it has ended. The lock is a record, which the commit of the work removes. If the process dies
 * before, the others remove it when its time is over, and nothing of the work is written.
 *
 * @throws Failure any refusal by `work`, `unavailable` if the account is frozen, `conflict` if the work takes too long
 */
export async function transactAlone<T>(
  store: Store,
  accountId: number,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  for (let holdMs = FIRST_HOLD_MS; ; holdMs *= 2) {
    const by = randomUUID();
    await hold(store, { accountId, by, holdMs });
    try {
      return await store.transact(async (tx) => {
        await requireOwn(tx, accountId, by);
        const result = await work(tx);
        await tx.remove(freezes, accountId, 1);
        return result;
      });
    } catch (error) {
      await release(store, accountId, by);
      if (!isConflict(error) || holdMs >= LONGEST_HOLD_MS) throw error;
    }
  }
}

/** A store that tries each transaction as usual, and alone if others keep it from being written. */
export function insistentStore(store: Store, accountId: number): Store {
  return {
    ...store,
    async transact(work) {
      try {
        return await store.transact(work);
      } catch (error) {
        if (!isConflict(error)) throw error;
        return transactAlone(store, accountId, work);
      }
    },
  };
}

/** Others write this record only to lock the account too, so no other change can come before. */
async function hold(
  store: Store,
  { accountId, by, holdMs }: { accountId: number; by: string; holdMs: number },
): Promise<void> {
  for (;;) {
    const isHeld = await store.transact(async (tx) => {
      const current = await tx.get(freezes, accountId, 1);
      if (current !== null && current.state !== "held")
        throw new Failure("unavailable", "The account is frozen, or is being moved: try again later");
      if (current !== null && !isOver(current, Date.now())) return false;
      await tx.put(freezes, { accountId, state: "held", by, untilMs: Date.now() + holdMs });
      return true;
    });
    if (isHeld) return;
    await sleep(HOLD_POLL_MS);
  }
}

async function requireOwn(tx: Transaction, accountId: number, by: string): Promise<void> {
  const current: Freeze | null = await tx.get(freezes, accountId, 1);
  if (current?.by !== by) throw new Failure("conflict", "The work took too long; try again");
}

async function release(store: Store, accountId: number, by: string): Promise<void> {
  await store.transact(async (tx) => {
    const current = await tx.get(freezes, accountId, 1);
    if (current?.by === by) await tx.remove(freezes, accountId, 1);
  });
}

/** Whether others were quicker. */
function isConflict(error: unknown): boolean {
  return isLostRace(error) || (error instanceof Failure && error.kind === "conflict");
}
