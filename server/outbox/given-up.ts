import { deliveries, finish, isOpen } from "../domain/delivery.ts";
import { SYSTEM } from "../records.ts";
import { WEBHOOK_GONE } from "./attempt.ts";
import type { OutboxParts } from "./parts.ts";

/** Ended in one commit, which is some milliseconds' worth. */
const MOST_AT_ONCE = 25;

/**
 * Ends what waits for a webhook that was deleted, whenever it is due: many at a time, as there may be any number.
 * Gives how many it ended.
 */
export async function giveUp({ store, lease, clock }: OutboxParts, destination: string): Promise<number> {
  const waiting = await store.page(deliveries, "lane", SYSTEM, [destination], { limit: MOST_AT_ONCE });
  await store.transact(async (tx) => {
    await lease.guard(tx);
    for (const { id } of waiting) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery === null || !isOpen(delivery)) continue;
      await finish(tx, { store, now: clock() }, { ...delivery, status: "failed", lastError: WEBHOOK_GONE });
    }
  });
  return waiting.length;
}
