import { isOutage } from "../failure.ts";
import { setImmediate as othersTurn, setTimeout as sleep } from "node:timers/promises";
import { deliveries, enqueue } from "../domain/webhook/delivery.ts";
import { SYSTEM } from "../domain/account/record.ts";
import { newFanOut } from "./fan-out.ts";
import type { OutboxParts } from "./parts.ts";
import { newSender } from "./sender.ts";
import { newClockWatch } from "./waiting.ts";

/** The pause when there was nothing to do, and between two rounds while requests come in. */
const IDLE_MS = 200;
/** The work of one round: much when the process is idle, little while it answers requests, which come first. */
const LIMITS = {
  idle: { facts: 20, sendings: 500 },
  busy: { facts: 1, sendings: 5 },
};
const HELD_AT_ONCE = 50;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const SWEEP_MS = 10 * 60 * 1_000;
const SWEPT_AT_ONCE = 200;

/** Sends events and e-mails. Of all processes that share a store, only one does so at a time. */
export interface Dispatcher {
  /** Does one round of work and returns how much it did. Tests call it, with a clock that they set. */
  pass(): Promise<number>;
  /** Resolves when nothing is being sent. */
  settle(): Promise<void>;
  start(): void;
  /**
   * Starts no more sending, waits at most `graceMs` for what is being sent, and leaves the rest to the next
   * process.
   */
  stop(graceMs: number): Promise<void>;
}

/** Makes the dispatcher. `isBusy` says whether the process has requests to answer. */
export function newDispatcher(parts: OutboxParts, isBusy: () => boolean): Dispatcher {
  const { log, lease } = parts;
  const fanOut = newFanOut(parts);
  let pause = new AbortController();
  let isWoken = false;
  const sender = newSender(parts, wake);
  const sweep = newSweep(parts);
  const watchClock = newClockWatch(parts);
  let running: Promise<void> | null = null;
  const stopping = new AbortController();

  /**
   * When a delivery is done, the next one may be due, so the dispatcher looks at once, unless requests come
   * in.
   */
  function wake(): void {
    if (isBusy()) return;
    isWoken = true;
    pause.abort();
  }

  async function pass(): Promise<number> {
    if (!(await lease.take())) return 0;
    const limits = isBusy() ? LIMITS.busy : LIMITS.idle;
    await sweep();
    const released = await releaseHeld(parts);
    const fannedOut = await fanOut(limits.facts);
    const broughtForward = await watchClock();
    return released + fannedOut + broughtForward + (await sender.begin(limits.sendings));
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      const work = await pass().catch((error: unknown) => {
        if (isOutage(error)) parts.logOutage(error);
        else log.error({ err: error }, "the outbox failed; it tries again");
        return 0;
      });
      if (stopping.signal.aborted) return;
      if ((work > 0 || isWoken) && !isBusy()) {
        // A local store answers at once: without this pause, one round after the other would block all requests.
        await othersTurn();
        continue;
      }
      pause = new AbortController();
      await sleep(IDLE_MS, undefined, { signal: pause.signal }).catch(() => {}); // woken
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
      pause.abort();
      await running;
      await Promise.race([sender.settle(), sleep(graceMs)]);
      // Release the lease first. Connections that break from now on are our doing, and without the lease they
      // are not recorded as failures of the receivers.
      await lease.release().catch((error: unknown) => {
        // The lease expires by itself. A store that can't be reached must not hold up the stop.
        log.error({ err: error }, "the outbox could not release its lease");
      });
      parts.post.close();
      parts.mailer?.close();
    },
  };
}

/** E-mails that were held while no mail server was set up are sent once there is one. */
async function releaseHeld({ store, mailer, clock, lease }: OutboxParts): Promise<number> {
  if (mailer === null) return 0;
  const held = await store.page(deliveries, "held", SYSTEM, [], { limit: HELD_AT_ONCE });
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
    const old = oldest.filter(
      ({ finishedAt }) => finishedAt !== null && now - Date.parse(finishedAt) > KEPT_MS,
    );
    // If there were as many as one round takes, the next round continues.
    if (old.length < SWEPT_AT_ONCE) sweptAt = now;
    if (old.length === 0) return;
    await store.transact(async (tx) => {
      await lease.guard(tx);
      for (const { id } of old) await tx.remove(deliveries, SYSTEM, id);
    });
  };
}
