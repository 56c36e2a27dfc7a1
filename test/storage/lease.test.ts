import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newLease } from "../../server/outbox/lease.ts";
import type { Store } from "../../server/storage/store.ts";
import { STORAGES, temporaryStore } from "../support/app.ts";

const DURATION_MS = 10_000;

describe.each(STORAGES)("a lease on %s", (storage) => {
  let store: Store;
  let now: number;
  beforeEach(async () => {
    store = await temporaryStore(storage);
    now = Date.parse("2026-03-04T05:06:07.890Z");
  });
  afterEach(() => store.close());

  const lease = (holder: string) =>
    newLease({ store, clock: () => new Date(now) }, { name: "work", holder, durationMs: DURATION_MS });

  it("is held by one of many at any time, whoever dies", async () => {
    const contenders = Array.from({ length: 8 }, (_, index) => lease(`process ${index}`));
    const holders = new Set<number>();
    let dead = -1;
    for (let step = 0; step < 60; step++) {
      const living = contenders.filter((_, index) => index !== dead);
      await Promise.all(living.map((each) => each.take()));
      const holding = contenders.flatMap((each, index) => (each.isHeld() ? [index] : []));
      expect(holding.length).toBeLessThanOrEqual(1);
      for (const index of holding) holders.add(index);
      // Every tenth step the holder stops renewing.
      if (step % 10 === 9) dead = holding[0] ?? -1;
      now += 2_000;
    }
    expect(holders.size).toBeGreaterThan(1);
  });

  it("is renewed by its holder alone, and free once it is given back or has expired", async () => {
    const [first, second] = [lease("first"), lease("second")];
    expect(await first.take()).toBe(true);
    now += DURATION_MS - 1;
    expect(await second.take()).toBe(false);
    expect(await first.take()).toBe(true);
    now += DURATION_MS - 1;
    expect(await second.take()).toBe(false);
    now += 1;
    expect(first.isHeld()).toBe(false);
    expect(await second.take()).toBe(true);
    await second.release();
    expect(second.isHeld()).toBe(false);
    expect(await first.take()).toBe(true);
  });

  it("does not stay with a dead holder when the clock is set back", async () => {
    const [first, second] = [lease("first"), lease("second")];
    expect(await first.take()).toBe(true);
    now -= 3_600_000;
    expect(await second.take()).toBe(true);
  });

  it("stays with a living holder who has renewed it since the clock was set back", async () => {
    const [first, second] = [lease("first"), lease("second")];
    expect(await first.take()).toBe(true);
    now -= 3_600_000;
    expect(await first.take()).toBe(true);
    expect(await second.take()).toBe(false);
    now += DURATION_MS;
    expect(await second.take()).toBe(true);
  });

  it("keeps a holder who is too late from writing", async () => {
    const [first, second] = [lease("first"), lease("second")];
    await first.take();
    now += DURATION_MS;
    await second.take();
    const write = (by: typeof first) =>
      store.transact(async (tx) => {
        await by.guard(tx);
        tx.add([0, "written"], 1);
      });
    await expect(write(first)).rejects.toMatchObject({ kind: "conflict" });
    await write(second);
    expect(await store.sums([0], ["written"])).toEqual([1]);
  });
});
