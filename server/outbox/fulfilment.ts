import { announce } from "../domain/event/event.ts";
import { FULFILMENT } from "../domain/event/event-type.ts";
import { payouts, type Payout } from "../domain/payout/payout.ts";
import { moveWithin } from "../domain/payout/status.ts";
import type { Delivery } from "../domain/webhook/delivery.ts";
import type { Transaction } from "../storage/store.ts";
import type { OutboxParts } from "./parts.ts";

type Parts = Pick<OutboxParts, "store" | "clock" | "chance">;

/**
 * A receiver that answers 200 to `fulfilment_pending` has given the promoter what the event names, so its payout is
 * completed. After any other success it stays pending.
 *
 * @see docs/spec/events.md "V1's form"
 */
export async function completeFulfilled(
  tx: Transaction,
  { store, clock, chance }: Parts,
  delivery: Delivery,
): Promise<void> {
  const payout = delivery.responseCode === 200 ? await waitingPayout(tx, delivery) : null;
  if (payout !== null) await moveWithin(tx, { store, now: clock(), chance }, { payout, to: "completed" });
}

/** The payout of an event that was given up has issues, which V1 shows. It stays pending. */
export async function noteUnfulfilled(tx: Transaction, { clock }: Parts, delivery: Delivery): Promise<void> {
  const before = await waitingPayout(tx, delivery);
  if (before === null) return;
  const after = { ...before, error: `Fulfilment failed: ${delivery.lastError}` };
  await tx.put(payouts, after);
  await announce(tx, { now: clock() }, { entity: "payout", before, after });
}

/** null: the event is about something else, or somebody has decided about the payout meanwhile. */
async function waitingPayout(tx: Transaction, { ownerId, message }: Delivery): Promise<Payout | null> {
  if (message?.type !== FULFILMENT) return null;
  const payout = await tx.get(payouts, ownerId, message.entityId);
  return payout?.status === "pending" ? payout : null;
}
