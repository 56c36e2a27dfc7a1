import { SYSTEM } from "../domain/context.ts";
import {
  deliveries,
  destinationOf,
  dueDestinations,
  finish,
  isOpen,
  type Delivery,
} from "../domain/events/webhook/delivery.ts";
import { isOutage } from "../failure.ts";
import { isLostLease } from "../process/lease.ts";
import { isFrozen } from "../storage/freeze.ts";
import { attemptOf, reachOf, WEBHOOK_GONE } from "./attempt.ts";
import { isSetAside } from "./clock-watch.ts";
import type { OutboxParts } from "./parts.ts";
import { newRecorder } from "./recorder.ts";

/** The number of concurrent deliveries to one destination. */
const CONCURRENCY = 4;
/** The same after a failure: enough to notice a recovery, too few to delay others. */
const CONCURRENCY_FAILING = 1;
/** The pause after the store could not record a result. */
const PAUSE_MS = 30_000;

/** Sends deliveries that are due. */
export interface Sender {
  /** Starts sending at most `limit` deliveries and returns how many it started. */
  begin(limit: number): Promise<number>;
  /** Whether any delivery is being sent. */
  isSending(): boolean;
  /** Resolves when nothing is being sent. */
  settle(): Promise<void>;
}

/** Makes the part of the outbox that sends. Each destination has its own queue, so none waits for another. */
export function newSender(parts: OutboxParts): Sender {
  const { store, clock, log } = parts;
  const record = newRecorder(parts);
  const destinations = newDestinations(parts);
  const underWay = new Map<number, { destination: string; lane: string; done: Promise<void> }>();
  const failing = new Set<string>();
  let pausedUntil = 0;

  async function waitingFor(destination: string): Promise<Delivery[]> {
    // Copied before the listing, which may still include a delivery that ends meanwhile.
    const sending = new Set(underWay.keys());
    const busy = busyLanes(destination).length;
    const free = (failing.has(destination) ? CONCURRENCY_FAILING : CONCURRENCY) - busy;
    if (free <= 0) return [];
    const first = await store.page(deliveries, "due", SYSTEM, [destination], { limit: free + busy });
    // An erasure drops the person's deliveries, even a running one. The deletion event waits until that one
    // has ended.
    const held = new Set(busyLanes(destination));
    return first.filter(({ id, lane }) => !sending.has(id) && !held.has(lane)).slice(0, free);
  }

  /** The lane of each running delivery to a destination. */
  function busyLanes(destination: string): string[] {
    const here = [...underWay.values()].filter((each) => each.destination === destination);
    return here.map(({ lane }) => lane);
  }

  async function send(delivery: Delivery): Promise<void> {
    const destination = destinationOf(delivery);
    try {
      const attempt = await attemptOf(parts, delivery);
      if (attempt === null) return;
      if (attempt.error === null) failing.delete(destination);
      // A final refusal concerns this delivery only, not others to the same destination.
      else if (!attempt.isFinal) failing.add(destination);
      await record(delivery, attempt);
    } catch (error) {
      // Another process has taken over and sends the delivery again.
      if (!parts.lease.isHeld() || isLostLease(error)) return;
      // The account was frozen meanwhile. The store that it moves to sends the delivery again.
      if (await isFrozen(store, delivery.ownerId).catch(() => false)) return;
      pausedUntil = clock().getTime() + PAUSE_MS;
      if (isOutage(error)) parts.logOutage(error);
      else log.error({ err: error, delivery: delivery.id }, "the result of a delivery could not be recorded");
    }
  }

  return {
    async begin(limit) {
      if (isSetAside(pausedUntil, clock().getTime(), PAUSE_MS)) return 0;
      let count = 0;
      for (const destination of await destinations()) {
        const waiting = await waitingFor(destination);
        const [first] = waiting;
        // There is nothing to do here. Counting it as work would shorten the dispatcher's rest.
        if (first === undefined || (await isFrozen(store, first.ownerId))) continue;
        const reach = await reachOf(parts, first);
        if (reach === "never") count += await giveUp(parts, destination);
        if (reach !== "now") continue;
        const now = clock().getTime();
        const due = waiting.filter(({ dueAt }) => dueAt !== null && dueAt <= now);
        for (const delivery of due) {
          if (count >= limit || !parts.lease.isHeld()) return count;
          count += 1;
          const done = send(delivery).finally(() => underWay.delete(delivery.id));
          underWay.set(delivery.id, { destination, lane: delivery.lane, done });
        }
      }
      return count;
    },
    isSending: () => underWay.size > 0,
    async settle() {
      while (underWay.size > 0) await Promise.all([...underWay.values()].map(({ done }) => done));
    },
  };
}

/** Lists the destinations that have deliveries due, starting with a different one each time. */
function newDestinations({ store }: OutboxParts): () => Promise<string[]> {
  let turn = 0;
  return async () => {
    const found = await dueDestinations(store);
    const first = turn++ % Math.max(1, found.length);
    return [...found.slice(first), ...found.slice(0, first)];
  };
}

/** A commit of this size takes a few milliseconds. */
const MOST_AT_ONCE = 25;

/**
 * Fails all deliveries to a deleted webhook, even those that are not due yet. There may be any number, so
 * this works in batches. Returns how many deliveries it ended.
 */
async function giveUp({ store, lease, clock }: OutboxParts, destination: string): Promise<number> {
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
