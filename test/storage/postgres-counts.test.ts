import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";

const MINUTE_MS = 60_000;

describe.skipIf(POSTGRES_FOLDER === null)("counts that processes on one Postgres share", () => {
  let cluster: Cluster;
  let drivers: AtomicDriver[];
  let key: string;
  let keyCount = 0;
  beforeAll(async () => {
    cluster = await startCluster();
    const open = () => postgresDriver(cluster.url(), { connections: 2 });
    drivers = await Promise.all([open(), open(), open()]);
  });
  beforeEach(() => void (key = `key${++keyCount}`));
  afterAll(async () => {
    await Promise.all(drivers.map((driver) => driver.dispose?.()));
    await cluster.remove();
  });

  const add = (at: number, amount = 1, { of = key, windowMs = MINUTE_MS } = {}) =>
    drivers[at % 3]!.countPassing!({ key: of, amount, windowMs });

  it("give each of many simultaneous additions a number of its own, without a gap", async () => {
    const counted = await Promise.all(Array.from({ length: 300 }, (_, at) => add(at)));
    const counts = counted.map(({ count }) => count).sort((left, right) => left - right);
    expect(counts).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
    for (const { msLeft } of counted) expect(msLeft).toBeGreaterThan(0);
    for (const { msLeft } of counted) expect(msLeft).toBeLessThanOrEqual(MINUTE_MS);
    expect(await add(1, 0)).toMatchObject({ count: 300 });
  });

  it("are kept for each key, and additions never wait for each other in a circle", async () => {
    const keys = Array.from({ length: 40 }, (_, at) => `${key}-${at}`);
    await Promise.all(keys.map((of) => add(0, 1, { of })));
    const holder = new Client(cluster.url());
    await holder.connect();
    const watcher = await cluster.watch();
    for (let round = 0; round < 3; round++) {
      // Each has taken some of its rows when it comes to one that is held.
      await holder.query("begin");
      await holder.query(`select key from tidemark_counts where key like '${key}-%7' for update`);
      const added = [0, 1, 2].map((driver) =>
        Promise.all((driver % 2 ? keys : keys.toReversed()).map((of) => add(driver, 1, { of }))),
      );
      await watcher.waiting(3);
      await holder.query("commit");
      await Promise.all(added);
    }
    await Promise.all([holder.end(), watcher.end()]);
    for (const of of keys) expect((await add(0, 0, { of })).count).toBe(10);
    expect(cluster.log()).not.toContain("deadlock detected");
  });

  it("begin with the first addition, not with a question, and are forgotten at their end", async () => {
    expect(await add(0, 0)).toEqual({ count: 0, msLeft: 0 });
    // In one statement, so that no slow machine can end the count between them.
    const additions = await Promise.all([1, 1].map((amount) => add(1, amount, { windowMs: 300 })));
    expect(additions).toEqual([
      { count: 1, msLeft: 300 },
      { count: 2, msLeft: 300 },
    ]);
    while ((await add(0, 0)).count > 0) {
      // Until the database says that the time is over.
    }
    expect(await add(1)).toEqual({ count: 1, msLeft: MINUTE_MS });
  });

  it("are refused soon while the database is away, and at once when it was so a moment ago", async () => {
    await add(0);
    await cluster.kill();
    const began = performance.now();
    await expect(add(0)).rejects.toMatchObject({ kind: "unavailable" });
    // Less than an attempt to connect may take.
    expect(performance.now() - began).toBeLessThan(2_500);
    await expect(add(0)).rejects.toMatchObject({
      kind: "unavailable",
      cause: { message: "The database did not answer a moment ago" },
    });
    await cluster.start();
    for (;;) {
      const counted = await add(0).catch(() => null);
      if (counted === null) continue;
      // Whether the first one was on the disk is nobody's worry.
      expect([1, 2]).toContain(counted.count);
      return;
    }
  });

  it("do not wait for a database that hangs", async () => {
    await cluster.freeze();
    await expect(add(1)).rejects.toMatchObject({
      kind: "unavailable",
      cause: { message: "The database did not answer in time" },
    });
    await cluster.thaw();
  });
});
