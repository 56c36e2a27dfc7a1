import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { leases, newLease, type Lease } from "../../server/process/lease.ts";
import { openStore } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";
import { integer, table } from "../../server/storage/table.ts";
import { STORAGES } from "../support/temporary-store.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { useEmptyStore } from "../support/stores.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

const DURATION_MS = 10_000;

const fields = {
  id: integer(),
};

const notes = table("note", fields);

const TABLES = [leases, notes];

let now = 0;
/** The clocks of machines start at different times. */
const lease = (store: Store, holder: string, offset = 0) =>
  newLease({ store, elapsedMs: () => now + offset }, { name: "work", holder, durationMs: DURATION_MS });
beforeEach(() => {
  now = 1_000_000;
});

/** Lets contenders take and renew the lease for two minutes, in which its holder dies five times. */
async function contend(contenders: Lease[]): Promise<Set<number>> {
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
  return holders;
}

describe.each(STORAGES)("a lease on %s", (storage) => {
  let store: Store;
  useEmptyStore(storage, TABLES, (_, emptyStore) => void (store = emptyStore));

  it("is held by only one of many at any time, whoever dies and whatever their clocks show", async () => {
    const contenders = Array.from({ length: 8 }, (_, index) =>
      lease(store, `process ${index}`, (index - 4) * 3_600_000),
    );
    expect((await contend(contenders)).size).toBeGreaterThan(1);
  });

  it("is renewed only by its holder, and free once it is released or not renewed", async () => {
    const [first, second] = [lease(store, "first"), lease(store, "second")];
    expect(await first.take()).toBe(true);
    now += DURATION_MS - 1;
    expect(await second.take()).toBe(false);
    expect(await first.take()).toBe(true);
    now += DURATION_MS - 1;
    // The term is not the one that was seen before.
    expect(await second.take()).toBe(false);
    now += DURATION_MS - 1;
    expect(await second.take()).toBe(false);
    now += 1;
    expect(first.isHeld()).toBe(false);
    expect(await second.take()).toBe(true);
    await second.release();
    expect(second.isHeld()).toBe(false);
    expect(await first.take()).toBe(true);
  });

  it("is not held by a process whose own write took longer than the lease lasts", async () => {
    const slow: Store = {
      ...store,
      async transact(work) {
        const result = await store.transact(work);
        now += DURATION_MS;
        return result;
      },
    };
    expect(await lease(slow, "slow").take()).toBe(false);
  });

  it("keeps a holder that is too late from writing", async () => {
    const [first, second] = [lease(store, "first"), lease(store, "second")];
    await first.take();
    await second.take();
    now += DURATION_MS;
    await second.take();
    const write = (by: Lease, id: number) =>
      store.transact(async (tx) => {
        await by.guard(tx);
        await tx.insert(notes, { account_id: 0, id });
      });
    await expect(write(first, 1)).rejects.toMatchObject({ kind: "conflict" });
    await write(second, 2);
    expect(await store.count(notes, "id", 0, [])).toBe(1);
  });
});

describe.skipIf(POSTGRES_FOLDER === null)("a lease of processes on one Postgres", () => {
  let cluster: Cluster;
  let stores: Store[];
  beforeAll(async () => {
    cluster = await startCluster();
    stores = await Promise.all(
      [0, 1, 2, 3].map(() => openStore(cluster.url(), { tables: TABLES, seal: TEST_SEAL })),
    );
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await cluster.remove();
  });

  it("is held by only one of them at any time, whoever dies", async () => {
    const contenders = stores.map((store, index) => lease(store, `process ${index}`, index * 5_000));
    expect((await contend(contenders)).size).toBeGreaterThan(1);
  });
});
