import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  failureLimiter,
  guessLimiter,
  rateLimiter,
  type RateLimiter,
} from "../../server/http/limits/rate-limit.ts";
import { openStore } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";

describe.skipIf(POSTGRES_FOLDER === null)("limits of servers on one Postgres", () => {
  let cluster: Cluster;
  let name: string;
  let nameCount = 0;
  let stores: Store[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
    await (await openStore(cluster.url(), { tables: [] })).close(); // makes the tables
  });
  beforeEach(() => void (name = `limit-${++nameCount}`));
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    stores = [];
  });
  afterAll(() => cluster.remove());

  /** The place where one more server counts its limits. */
  async function openLimits(): Promise<Store["limits"]> {
    const store = await openStore(cluster.url(), { tables: [] });
    stores.push(store);
    return store.limits;
  }

  /** The limiters of several servers. */
  const servers = (count: number, limitPerMinute: number): Promise<RateLimiter[]> =>
    Promise.all(
      Array.from({ length: count }, async () =>
        rateLimiter({ name, limitPerMinute, database: await openLimits() }),
      ),
    );

  it("give each of many simultaneous requests its own number, without a gap", async () => {
    const limiters = await servers(3, 60);
    const states: Awaited<ReturnType<RateLimiter["take"]>>[] = [];
    // A few at a time: a server that waits for the database for a second counts by itself.
    while (states.length < 66) {
      states.push(...(await Promise.all(limiters.flatMap((one) => [one.take("key"), one.take("key")]))));
    }
    const remaining = states.filter((state) => state?.allowed).map((state) => state!.remaining);
    expect(remaining.sort((left, right) => right - left)).toEqual(
      Array.from({ length: 60 }, (_, at) => 59 - at),
    );
    expect(states.filter((state) => !state?.allowed)).toHaveLength(6);
    for (const state of states) expect(state!.resetSeconds).toBeGreaterThan(0);
    for (const state of states) expect(state!.resetSeconds).toBeLessThanOrEqual(60);
  });

  it("remember a credential that was good on another server", async () => {
    const limit = { name, limitPerMinute: 2 };
    const newLimiter = async () => failureLimiter({ ...limit, database: await openLimits() });
    const [first, second] = [await newLimiter(), await newLimiter()];
    const good = async () => "account";
    expect(await first.attempt("192.0.2.1", "good", good)).toBe("account");
    const bad = () => second.attempt("192.0.2.1", "bad", async () => null);
    expect([await bad(), await bad()]).toEqual([null, null]);
    await expect(bad()).rejects.toMatchObject({ kind: "rate_limited" });
    expect(await second.attempt("192.0.2.1", "good", good)).toBe("account");
    await expect(second.attempt("192.0.2.1", "other", good)).rejects.toMatchObject({ kind: "rate_limited" });
  });

  it("forget guesses that were not wrong, however many came at the same time", async () => {
    const place = { name, wrongGuesses: 2, seconds: 60, database: await openLimits() };
    const limiter = guessLimiter(place);
    const guess = (isWrong: boolean) =>
      limiter
        .guess("key", () => (isWrong ? Promise.reject(new Error("wrong")) : Promise.resolve("in")), Boolean)
        .catch((error: Error) => error.message);
    for (let burst = 0; burst < 3; burst++) {
      expect(await Promise.all([guess(false), guess(false)])).toEqual([{ done: "in" }, { done: "in" }]);
    }
    expect([await guess(true), await guess(false), await guess(true)]).toEqual([
      "wrong",
      { done: "in" },
      "wrong",
    ]);
    const refused = { retryAfterSeconds: expect.any(Number) as number };
    expect([await guess(false), await guess(false)]).toEqual([refused, refused]);
  });

  it("store no address, and start over after a minute", async () => {
    const [limiter, other] = await servers(2, 1);
    await limiter!.take("192.0.2.1");
    const { rows } = await cluster.query(`select key from tidemark_limits where key like '${name}:%'`);
    expect(rows).toEqual([{ key: expect.stringMatching(/^limit-\d+:[\w-]{43}$/) as string }]);
    expect(await other!.take("192.0.2.1")).toMatchObject({ allowed: false });
    await cluster.query(`update tidemark_limits set expire = 0 where key like '${name}:%'`);
    expect(await (await servers(1, 1))[0]!.take("192.0.2.1")).toMatchObject({
      allowed: true,
      resetSeconds: 60,
    });
  });

  it.each([
    ["is away", () => cluster.kill(), () => cluster.start()],
    ["hangs", () => cluster.freeze(), () => cluster.thaw()],
  ])(
    "are counted by each server while the database %s, and together again after it",
    async (_, end, begin) => {
      const [limiter, other] = await servers(2, 3);
      await limiter!.take("key");
      await end();
      for (const remaining of [2, 1, 0]) {
        expect(await limiter!.take("key")).toMatchObject({ allowed: true, remaining });
      }
      expect(await limiter!.take("key")).toMatchObject({ allowed: false });
      await begin();
      const states: Awaited<ReturnType<RateLimiter["take"]>>[] = [];
      // The first requests may still count on their own server.
      while (!states.some((state) => state?.allowed === false)) states.push(await other!.take("other"));
      expect(await (await servers(1, 3))[0]!.take("other")).toMatchObject({ allowed: false });
    },
  );
});
