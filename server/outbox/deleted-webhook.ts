import { deliveries, finish, isOpen } from "../domain/webhook/delivery.ts";
import { SYSTEM } from "../domain/account/account.ts";
import { WEBHOOK_GONE } from "./attempt.ts";
import type { OutboxParts } from "./parts.ts";

/** A commit of this size takes a few milliseconds. */
const MOST_AT_ONCE = 25;

/**
 * Fails all deliveries to a deleted webhook, even those that are not due yet. There may be any number, so
 * this works in batches. Returns how many deliveries it ended.
 */
export async function giveUp({ store, lease, clock }: OutboxParts, destination: string): Promise<number> {
  const waiting = await store.page(deliveries, "lane", SYSTEM, [destination], { limit: MOST_AT_ONCE });
  await store.transact(async (tx) => {
    await lease.guard(tx);
    for (const { id } of waiting) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery === null || !isOpen(delivery)) continue;
      await finish(tx, { ...delivery, status: "failed", lastError: WEBHOOK_GONE }, clock());
    }
  });
  return waiting.length;
}
