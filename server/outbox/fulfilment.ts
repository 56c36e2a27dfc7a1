import { FULFILMENT } from "../domain/event/v1-event-type.ts";
import { payouts } from "../domain/payout/payout.ts";
import { moveWithin } from "../domain/payout/status-moves.ts";
import type { Delivery } from "../domain/webhook/record.ts";
import type { Transaction } from "../storage/store.ts";
import type { OutboxParts } from "./parts.ts";

/**
 * A receiver that answers 200 to `fulfilment_pending` has given the promoter what the event names, so its payout is
 * completed. After any other success it stays pending.
 *
 * @see docs/spec/events.md "V1's form"
 */
export async function completeFulfilled(
  tx: Transaction,
  { store, clock, chance }: Pick<OutboxParts, "store" | "clock" | "chance">,
  { ownerId, message, responseCode }: Delivery,
): Promise<void> {
  if (message?.type !== FULFILMENT || responseCode !== 200) return;
  const payout = await tx.get(payouts, ownerId, message.entityId);
  // Somebody may have decided otherwise meanwhile.
  if (payout?.status !== "pending") return;
  await moveWithin(tx, { store, now: clock(), chance }, { payout, to: "completed" });
}
