import { isOutage } from "../failure.ts";
import { setImmediate as othersTurn, setTimeout as sleep } from "node:timers/promises";
import { deliveries, enqueue } from "../domain/delivery.ts";
import { SYSTEM } from "../records.ts";
import { newFanOut } from "./fan-out.ts";
import type { OutboxParts } from "./parts.ts";
import { newSender } from "./sender.ts";
import { newClockWatch } from "./waiting.ts";

/** How long it waits when there was nothing to do, and between two turns while requests come in. */
const IDLE_MS = 200;
/** What is done in one turn: much when the process is idle, little while it answers requests, which come first. */
const LIMITS = {
  idle: { facts: 20, sendings: 500 },
  busy: { facts: 1, sendings: 5 },
};
const HELD_AT_ONCE = 50;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const SWEEP_MS = 10 * 60 * 1_000;
const SWEPT_AT_ONCE = 200;

/** Sends what has been announced, in one process of all that share a store. */
export interface Dispatcher {
  /** One turn of its work; gives how much there was. Tests call it, with a clock that they set. */
  pass(): Promise<number>;
  /** Resolves when no sending is under way. */
  settle(): Promise<void>;
  start(): void;
  /** Begins nothing more, waits so long for what is under way, and leaves the rest to the next process. */
  stop(graceMs: number): Promise<void>;
}

/** Makes the dispatcher; `isBusy` tells whether the process has requests to answer. */
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

  /** There may be something to send where a sending has just ended; while requests come in, it waits. */
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
        else log.error({ err: error }, "the outbox could not do its work");
        return 0;
      });
      if (stopping.signal.aborted) return;
      if ((work > 0 || isWoken) && !isBusy()) {
        // A local store answers at once: without this, a turn after the other would keep all requests waiting.
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
      // First the lease: what breaks off then is no failure of its receiver, and is not written as one.
      await lease.release().catch((error: unknown) => {
        // It ends by itself; a store that is away must not keep requests from their end.
        log.error({ err: error }, "the lease of the outbox could not be given back");
      });
      parts.post.close();
      parts.mailer?.close();
    },
  };
}

/** Letters that were held while mail was not set up go out once it is. */
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

/** Deliveries are kept for a month after their end, for whoever looks into what went wrong. */
function newSweep({ store, clock, lease }: OutboxParts): () => Promise<void> {
  let sweptAt = 0;
  return async () => {
    const now = clock().getTime();
    // Also where the clock was set back.
    if (Math.abs(now - sweptAt) < SWEEP_MS) return;
    const oldest = await store.page(deliveries, "finished", SYSTEM, [], { limit: SWEPT_AT_ONCE });
    const old = oldest.filter(
      ({ finishedAt }) => finishedAt !== null && now - Date.parse(finishedAt) > KEPT_MS,
    );
    // Where there were as many as one turn takes, the next turn goes on.
    if (old.length < SWEPT_AT_ONCE) sweptAt = now;
    if (old.length === 0) return;
    await store.transact(async (tx) => {
      await lease.guard(tx);
      for (const { id } of old) await tx.remove(deliveries, SYSTEM, id);
    });
  };
}
