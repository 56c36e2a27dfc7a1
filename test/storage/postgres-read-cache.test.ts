import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Failure } from "../../server/failure.ts";
import { collection } from "../../server/storage/collection.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { newReadCache } from "../../server/storage/drivers/postgres/read-cache.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { newStore, type Store, type Transaction } from "../../server/storage/store.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";

interface Thing {
  accountId: number;
  id: number;
  count: number;
}

const things = collection<Thing>()({ name: "thing", id: ({ id }) => [id], claims: {}, indexes: {} });
const looks = collection<{ accountId: number; id: number }>()({
  name: "look",
  id: ({ id }) => [id],
  claims: {},
  indexes: {},
  counts: ({ id }) => [[["looks", id], 1]],
});

describe.skipIf(POSTGRES_FOLDER === null)("transactions on texts that were read a moment ago", () => {
  let cluster: Cluster;
  let queryCount = 0;
  let store: Store;
  let other: Store;
  let id = 0;
  beforeAll(async () => {
    cluster = await startCluster();
    const driver = await postgresDriver(cluster.url(), { connections: 2 });
    const counted: AtomicDriver = {
      ...driver,
      getItem: (key) => (queryCount++, driver.getItem(key)),
    };
    store = newStore(counted);
    other = newStore(await postgresDriver(cluster.url(), { connections: 2 }));
  });
  beforeEach(async () => {
    id++;
    await put(store, 1);
    await count(store);
    queryCount = 0;
  });
  afterAll(async () => {
    await Promise.all([store.close(), other.close()]);
    await cluster.remove();
  });

  const put = (by: Store, value: number) =>
    by.transact((tx) => tx.put(things, { accountId: 1, id, count: value }));
  const count = (by: Store) => by.transact(async (tx) => (await tx.get(things, 1, id))!.count);

  it("query them only once, and commit", async () => {
    await store.transact(async (tx) => {
      await tx.get(things, 1, id);
      await tx.insert(looks, { accountId: 1, id });
    });
    expect(queryCount).toBe(0);
    expect(await other.sum(1, ["looks", id])).toBe(1);
  });

  it("query a missing text only once, and find one that another process has written since", async () => {
    const find = (tx: Transaction) => tx.get(looks, 1, -id);
    await store.transact(find);
    queryCount = 0;
    await store.transact(async (tx) => {
      if ((await find(tx)) === null) await tx.insert(looks, { accountId: 1, id });
    });
    expect(queryCount).toBe(0);
    await other.transact((tx) => tx.insert(looks, { accountId: 1, id: -id }));
    expect(await store.transact(find)).toEqual({ accountId: 1, id: -id });
  });

  it("run again if another process has changed them since", async () => {
    await put(other, 5);
    await store.transact(async (tx) => {
      const thing = (await tx.get(things, 1, id))!;
      await tx.put(things, { ...thing, count: thing.count + 1 });
    });
    expect((await other.get(things, 1, id))!.count).toBe(6);
  });

  it("return what another process has written since, even if they only read", async () => {
    await put(other, 7);
    expect(await count(store)).toBe(7);
    expect((await store.get(things, 1, id))!.count).toBe(7);
  });

  it("decide refusals and errors again if another process has changed them since", async () => {
    await put(other, 8);
    const decide = (error: Error) =>
      store.transact(async (tx) => {
        const thing = await tx.get(things, 1, id);
        if (thing!.count !== 8) throw error;
        return thing!.count;
      });
    expect(await decide(new Failure("invalid", "stale"))).toBe(8);
    await put(other, 9);
    await count(store);
    await put(other, 8);
    expect(await decide(new TypeError("stale"))).toBe(8);
  });

  it("do not affect reads outside of them", async () => {
    await put(other, 10);
    expect((await store.get(things, 1, id))!.count).toBe(10);
  });

  it("lose none of many additions by two processes", async () => {
    const add = (by: Store) =>
      by.transact(async (tx) => {
        const thing = (await tx.get(things, 1, id))!;
        await tx.put(things, { ...thing, count: thing.count + 1 });
      });
    await Promise.all([store, other].flatMap((by) => Array.from({ length: 8 }, () => add(by))));
    expect((await store.get(things, 1, id))!.count).toBe(17);
  });
});

describe("texts of the last second", () => {
  it("are known for a second after they were read, unless they have changed", () => {
    let now = 0;
    const texts = newReadCache(() => now);
    texts.keep("a", "1", 0);
    texts.keep("long", "x".repeat(5_000), 0);
    now = 999;
    expect([texts.get("a"), texts.get("b"), texts.get("long")]).toEqual(["1", undefined, undefined]);
    now = 1_000;
    expect(texts.get("a")).toBeUndefined();
    texts.keep("a", "2", 1_000);
    now = 1_500;
    texts.drop("a");
    texts.keep("a", "older than its change", 1_400);
    expect(texts.get("a")).toBeUndefined();
    texts.keep("a", "3", 1_600);
    texts.keep("a", "read before", 1_550);
    expect(texts.get("a")).toBe("3");
    texts.keep("a", null, 1_700);
    expect(texts.get("a")).toBeNull();
  });

  it("are also known to be absent, until they are written", () => {
    let now = 0;
    const texts = newReadCache(() => now);
    texts.keep("a", null, 0);
    expect(texts.get("a")).toBeNull();
    now = 500;
    texts.drop("a");
    texts.keep("a", null, 400);
    expect(texts.get("a")).toBeUndefined();
    texts.keep("a", "1", 600);
    expect(texts.get("a")).toBe("1");
    texts.keep("b", null, 600);
    now = 1_600;
    expect([texts.get("a"), texts.get("b")]).toEqual([undefined, undefined]);
  });

  it("are at most 4,000, besides those that were only written or not found", () => {
    const texts = newReadCache(() => 0);
    texts.keep("a", "1", 0);
    for (let at = 0; at <= 4_000; at++) texts.drop(`${at}`);
    for (let at = 0; at <= 4_000; at++) texts.keep(`${at}`, null, 0);
    expect([texts.get("a"), texts.get("0"), texts.get("4000")]).toEqual(["1", undefined, null]);
    for (let at = 0; at <= 4_000; at++) texts.keep(`${at}`, "x", 0);
    expect([texts.get("0"), texts.get("4000")]).toEqual([undefined, "x"]);
  });
});
