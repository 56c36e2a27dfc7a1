import { SYSTEM } from "../domain/context.ts";
import { deliveries, type Delivery } from "../domain/events/webhook/delivery.ts";
import { withoutFrozen } from "../storage/freeze.ts";
import type { OutboxParts } from "./parts.ts";

const MINUTE_MS = 60_000;
/**
 * How often all waiting deliveries are checked, because a process whose clock is ahead may have written some.
 */
const AGAIN_MS = 10 * MINUTE_MS;
/** Most deliveries changed in one commit. */
const MOST_AT_ONCE = 100;

/** Whether something that was postponed until an instant, by `mostMs` at most, must still wait. */
export function isSetAside(until: number, now: number, mostMs: number): boolean {
  // If the clock was set back since, it would otherwise wait until the clock catches up.
  return until > now && until - now <= mostMs;
}

/**
 * Makes the part of the outbox that finds deliveries postponed too far because the clock was set back, and
 * makes them due. A delivery that would wait longer than its failures justify is due immediately. Each call
 * checks one chunk, so that a long backlog delays nothing. Returns how many it found.
 */
export function newClockWatch(parts: OutboxParts): () => Promise<number> {
  const { store, clock } = parts;
  let walk: AsyncGenerator<Delivery[]> | null = null;
  let beganAt = 0;
  // A new process does not know whether the clock was set back before, so it starts with a check.
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
    const waiting = next.value.filter((delivery) => waitsTooLong(delivery, now));
    const late = await withoutFrozen(store, waiting);
    for (let at = 0; at < late.length; at += MOST_AT_ONCE) {
      await bringForward(parts, late.slice(at, at + MOST_AT_ONCE), now);
    }
    return late.length;
  };
}

/** The delay before the next attempt: 2, 4, 8 … minutes. @see docs/spec/events.md */
export function retryDelayMs(failedAttempts: number): number {
  return 2 ** failedAttempts * MINUTE_MS;
}

async function bringForward({ store, lease }: OutboxParts, late: Delivery[], now: number): Promise<void> {
  await store.transact(async (tx) => {
    await lease.guard(tx);
    for (const { id } of late) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery !== null && waitsTooLong(delivery, now))
        await tx.put(deliveries, { ...delivery, due_at: now });
    }
  });
}

function waitsTooLong({ due_at, attempts }: Delivery, now: number): boolean {
  return due_at !== null && due_at - now > (attempts === 0 ? 0 : retryDelayMs(attempts));
}
