import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { SYSTEM, systemChance } from "../domain/context.ts";
import { auditedStore } from "../domain/access/audit/audited-store.ts";
import { PROCESS } from "../domain/access/audit/audit.ts";
import { deliveries, enqueue } from "../domain/events/webhook/delivery.ts";
import { isOutage } from "../failure.ts";
import type { OutgoingMail } from "../outgoing/mail.ts";
import type { Post } from "../outgoing/post.ts";
import { newLease } from "../process/lease.ts";
import { withoutFrozen } from "../storage/freeze.ts";
import type { Store } from "../storage/store.ts";
import { newClockWatch } from "./clock-watch.ts";
import type { Templates } from "./email-template.ts";
import { newFanOut } from "./fan-out.ts";
import type { OutboxParts } from "./parts.ts";
import { newSender } from "./sender.ts";

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
  publicUrl: string;
  /** Null if mail is not set up. */
  mail: OutgoingMail | null;
  templates: Templates;
}

/** Makes the outbox of a process. */
export function openOutbox(settings: OutboxSettings): Dispatcher {
  const { store, log, post, publicUrl, mail } = settings;
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
    publicUrl,
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
      ({ finishedAt }) => finishedAt !== null && now - Date.parse(finishedAt) > KEPT_MS,
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
