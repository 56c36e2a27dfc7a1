import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { SYSTEM, systemChance } from "../domain/context.ts";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import { PROCESS } from "../domain/access/audit/audit.ts";
import {
  deliveries,
  enqueue,
  destinationOf,
  dueDestinations,
  finish,
  isOpen,
  type Delivery,
} from "../domain/events/webhook/delivery.ts";
import { isOutage } from "../failure.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { Post } from "../outgoing/post.ts";
import { newLease, isLostLease } from "../process/lease.ts";
import { withoutFrozen, isFrozen } from "../storage/freeze.ts";
import type { Store } from "../storage/store.ts";
import { newClockWatch, isSetAside } from "./clock-watch.ts";
import { newFanOut } from "./fan-out.ts";
import type { OutboxParts } from "./parts.ts";
import { attemptOf, reachOf, WEBHOOK_GONE, newRecorder } from "./attempt.ts";

/** The maximum per round. It is small, so that a round delays requests only briefly. */
const FACTS = 5;
const SENDINGS = 10;
/** Requests come first: after each round the outbox rests this many times as long as the round took. */
const REST = 9;
const SHORTEST_REST_MS = 50;
const LONGEST_REST_MS = 1_000;
/** The rest after a round without work. */
const IDLE_MS = 200;
const HELD_AT_ONCE = 50;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const SWEEP_MS = 10 * 60 * 1_000;
const SWEPT_AT_ONCE = 200;

/** Sends events and e-mails. Among the processes that share a store, only one does so at a time. */
export interface Dispatcher {
  /** Does one round of work and returns how much it did. Tests call it with a clock of their own. */
  pass(): Promise<number>;
  /** Resolves when nothing is being sent. */
  settle(): Promise<void>;
  start(): void;
  /**
   * Starts no new deliveries, waits at most `graceMs` for running ones, and leaves the rest to the next
   * process.
   */
  stop(graceMs: number): Promise<void>;
}

/** Makes the dispatcher. */
export function newDispatcher(parts: OutboxParts): Dispatcher {
  const { log, lease } = parts;
  const fanOut = newFanOut(parts);
  const sender = newSender(parts);
  const sweep = newSweep(parts);
  const watchClock = newClockWatch(parts);
  let running: Promise<void> | null = null;
  const stopping = new AbortController();

  async function pass(): Promise<number> {
    if (!(await lease.take())) return 0;
    await sweep();
    const released = await releaseHeld(parts);
    const fannedOut = await fanOut(FACTS);
    const broughtForward = await watchClock();
    return released + fannedOut + broughtForward + (await sender.begin(SENDINGS));
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const beganAt = performance.now();
      const work = await pass().catch((error: unknown) => {
        if (isOutage(error)) parts.logOutage(error);
        else log.error({ err: error }, "the outbox failed; it tries again");
        return 0;
      });
      // When a delivery ends, the next one to its destination becomes due.
      const hasMore = work > 0 || sender.isSending();
      const restMs = hasMore ? restAfter(performance.now() - beganAt) : IDLE_MS;
      await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => {}); // stopped
    }
  }

  return {
    pass,
    settle: () => sender.settle(),
    start() {
      running ??= run();
    },
    async stop(graceMs) {
      stopping.abort();
      await running;
      await Promise.race([sender.settle(), sleep(graceMs)]);
      // Release the lease first. Connections that break from now on are the stop's doing, and without the
      // lease they are not recorded as failures of the receivers.
      await lease.release().catch((error: unknown) => {
        // The lease expires by itself. An unreachable store must not delay the stop.
        log.error({ err: error }, "the outbox could not release its lease");
      });
      parts.post.close();
      parts.mailer?.close();
    },
  };
}

/** How long other processes wait before they replace one that died. */
const LEASE_MS = 10_000;

/** The settings and services that the outbox of a process needs. */
export interface OutboxSettings {
  store: Store;
  log: Logger;
  logOutage: OutboxParts["logOutage"];
  post: Post;
  public_url: string;
  /** Null if mail is not set up. */
  mail: OutgoingMail | null;
  templates: OutboxParts["templates"];
}

/** Makes the outbox of a process. */
export function openOutbox(settings: OutboxSettings): Dispatcher {
  const { store, log, post, public_url, mail } = settings;
  const clock = () => new Date();
  return newDispatcher({
    // A receiver may complete the payout that its event names.
    store: auditedStore(store, { actor: PROCESS, clock }),
    clock,
    chance: systemChance,
    log,
    logOutage: settings.logOutage,
    post,
    mailer: mail?.mailer ?? null,
    templates: settings.templates,
    public_url,
    lease: newLease(
      { store, elapsedMs: () => performance.now() },
      { name: "outbox", holder: randomUUID(), durationMs: LEASE_MS },
    ),
  });
}

/** A round takes long on a busy machine, so the rest grows with the load. */
function restAfter(roundMs: number): number {
  return Math.min(Math.max(REST * roundMs, SHORTEST_REST_MS), LONGEST_REST_MS);
}

/** E-mails that were held for lack of a mail server are sent once there is one. */
async function releaseHeld({ store, mailer, clock, lease }: OutboxParts): Promise<number> {
  if (mailer === null) return 0;
  const oldest = await store.page(deliveries, "held", SYSTEM, [], { limit: HELD_AT_ONCE });
  const held = await withoutFrozen(store, oldest);
  if (held.length === 0) return 0;
  await store.transact(async (tx) => {
    await lease.guard(tx);
    for (const { id } of held) {
      const delivery = await tx.get(deliveries, SYSTEM, id);
      if (delivery?.status === "held") await enqueue(tx, { ...delivery, status: "pending" }, clock());
    }
  });
  return held.length;
}

/** Deletes deliveries a month after they ended. Until then they show what went wrong. */
function newSweep({ store, clock, lease }: OutboxParts): () => Promise<void> {
  let sweptAt = 0;
  return async () => {
    const now = clock().getTime();
    // The absolute difference, because the clock may have been set back.
    if (Math.abs(now - sweptAt) < SWEEP_MS) return;
    const oldest = await store.page(deliveries, "finished", SYSTEM, [], { limit: SWEPT_AT_ONCE });
    const over = oldest.filter(
      ({ finished_at }) => finished_at !== null && now - Date.parse(finished_at) > KEPT_MS,
    );
    const old = await withoutFrozen(store, over);
    // If a full batch was deleted, the next round continues.
    if (old.length < SWEPT_AT_ONCE) sweptAt = now;
    if (old.length === 0) return;
    await store.transact(async (tx) => {
      await lease.guard(tx);
      for (const { id } of old) await tx.remove(deliveries, SYSTEM, id);
    });
  };
}

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
function newSender(parts: OutboxParts): Sender {
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
      if (await isFrozen(store, delivery.owner_id).catch(() => false)) return;
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
        if (first === undefined || (await isFrozen(store, first.owner_id))) continue;
        const reach = await reachOf(parts, first);
        if (reach === "never") count += await giveUp(parts, destination);
        if (reach !== "now") continue;
        const now = clock().getTime();
        const due = waiting.filter(({ due_at }) => due_at !== null && due_at <= now);
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
      await finish(tx, { ...delivery, status: "failed", last_error: WEBHOOK_GONE }, clock());
    }
  });
  return waiting.length;
}
