import { deliveries } from "../domain/delivery.ts";
import { SYSTEM, type Delivery } from "../records.ts";
import type { OutboxParts } from "./parts.ts";

const MINUTE_MS = 60_000;
/** How often all that waits is looked through, for what others wrote whose clocks go ahead of this one. */
const AGAIN_MS = 10 * MINUTE_MS;
/** Changed in one commit. */
const MOST_AT_ONCE = 100;

/** When a delivery that failed so often is tried again: 2, 4, 8 … minutes later. @see docs/spec/events.md */
export function retryDelayMs(failedAttempts: number): number {
  return 2 ** failedAttempts * MINUTE_MS;
}

/** Whether something set aside until an instant, for so long at most, is still to be left alone. */
export function isSetAside(until: number, now: number, mostMs: number): boolean {
  // Not where the clock was set back since: it would be left alone until the clock has caught up.
  return until > now && until - now <= mostMs;
}

/**
 * Makes the part of the outbox that brings forward what a clock that was set back would keep waiting; gives how
 * many those were. Choice: what waits longer than its failures allow is due at once, so that nothing waits longer
 * from when the clock was set. One chunk is looked through at a time, so that no backlog keeps anybody waiting.
 */
export function newClockWatch(parts: OutboxParts): () => Promise<number> {
  const { store, clock } = parts;
  let walk: AsyncGenerator<Delivery[]> | null = null;
  let beganAt = 0;
  // Whoever begins to work does not know what became of the clock before.
  let seenAt = Infinity;
  return async () => {
    const now = clock().getTime();
    if (now < seenAt || now - beganAt >= AGAIN_MS) {
      walk = store.scan(deliveries, "due", SYSTEM, []);
      beganAt = now;
    }
    seenAt = now;
    const next = await walk?.next();
    if (next === undefined || next.done) {
      walk = null;
      return 0;
    }
    const late = next.value.filter((delivery) => waitsTooLong(delivery, now));
    for (let at = 0; at < late.length; at += MOST_AT_ONCE) {
      await bringForward(parts, late.slice(at, at + MOST_AT_ONCE), now);
    }
    return late.length;
  };
}

async function bringForward({ store, lease }: OutboxParts, late: Delivery[], now: number): Promise<void> {
  await store.transact(async (tx) => {
    await lease.guard(tx);
    for (const { id } of late) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery !== null && waitsTooLong(delivery, now))
        await tx.put(deliveries, { ...delivery, dueAt: now });
    }
  });
}

function waitsTooLong({ dueAt, attempts }: Delivery, now: number): boolean {
  return dueAt !== null && dueAt - now > (attempts === 0 ? 0 : retryDelayMs(attempts));
}
