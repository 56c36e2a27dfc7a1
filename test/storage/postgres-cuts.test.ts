import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Failure } from "../../server/failure.ts";
import type { Store } from "../../server/storage/store.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { openThings, thing, thingNames, things, totalOf } from "../support/things.ts";

/** How a transaction begins on the wire, and the query for its outcome. */
const BEGIN = "begin isolation level";
const LOOK_UP = "case when mark.number";

describe.skipIf(POSTGRES_FOLDER === null)("commits to Postgres over connections that are cut", () => {
  let cluster: Cluster;
  let proxy: TcpProxy;
  let store: Store;
  /** Holds locks that the commits need. */
  let other: Client;
  let watcher: Awaited<ReturnType<Cluster["watch"]>>;
  let count = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  beforeEach(async () => {
    proxy = await startProxy(cluster.port);
    store = await openThings(cluster.url(proxy.port), { connections: 2 });
    other = new Client(cluster.url());
    await other.connect();
    watcher = await cluster.watch();
    await other.query("truncate things, thing_totals");
    count = 0;
    await store.transact((tx) => tx.insert(things, thing(-1, "last 0")));
    await commit();
  });
  afterEach(async () => {
    await store.close();
    await Promise.all([other.end(), watcher.end()]);
    proxy.close();
  });
  afterAll(() => cluster.remove());

  /** A commit that counts itself, and that would be refused if it were repeated after it was written. */
  async function commit(): Promise<void> {
    const id = ++count;
    await store.transact(async (tx) => {
      await tx.insert(things, thing(id));
      const last = (await tx.get(things, 1, -id))!;
      expect(last.name).toBe(`last ${id - 1}`);
      await tx.remove(things, 1, -id);
      await tx.insert(things, thing(-id - 1, `last ${id}`));
    });
  }

  async function expectEachOnce(): Promise<void> {
    const expected = Array.from({ length: count }, (_, index) => `thing ${index + 1}`);
    expect(await thingNames(store)).toEqual([`last ${count}`, ...expected]);
    expect(await totalOf(store)).toBe(count + 1);
  }

  it.each([
    ["client", 61],
    ["server", 13],
  ] as const)(
    "are written once, at whichever byte of the %s the connection is cut",
    async (from, stepBytes) => {
      let cutCount = 0;
      for (let byteCount = 0; ; byteCount += stepBytes) {
        let isCut = false;
        void proxy.cut({ after: BEGIN, from, byteCount, rest: "lost" }).then(() => (isCut = true));
        await commit();
        if (!isCut) break;
        cutCount++;
      }
      expect(cutCount).toBeGreaterThan(15);
      await expectEachOnce();
    },
  );

  it.each([0, 20, 200])(
    "are written once, though what came after %d bytes arrives when they were repeated",
    async (byteCount) => {
      const cut = proxy.cut({ after: BEGIN, from: "client", byteCount, rest: "kept" });
      await commit();
      await cut;
      proxy.release();
      await commit();
      await expectEachOnce();
    },
  );

  // Between two statements the server soon gives up, in the middle of one it waits for the rest.
  it.each([700, 2_000])(
    "wait while a connection that was cut after %d bytes holds their locks, and are written once or refused",
    async (byteCount) => {
      const cut = proxy.cut({ after: BEGIN, from: "client", byteCount, rest: "kept" });
      const refused = await commit().catch((error: Failure) => error.kind);
      await cut;
      proxy.release();
      expect([undefined, "unavailable"]).toContain(refused);
      if (refused !== undefined) count--;
      await commit();
      await expectEachOnce();
    },
  );

  it.each(["client", "server"] as const)(
    "are looked up again where the look-up is cut as well, in the bytes of the %s",
    async (from) => {
      const cut = proxy.cut({ after: BEGIN, from: "server", byteCount: 100, rest: "lost" });
      const again = cut.then(() => proxy.cut({ after: LOOK_UP, from, byteCount: 10, rest: "lost" }));
      await commit();
      await again;
      await expectEachOnce();
    },
  );

  it.each([
    ["a record", "select 1 from things where id = -2 for update"],
    ["a sum", "select 1 from thing_totals for update"],
  ])("are given up while they wait for %s, and not written later", async (_, holding) => {
    await other.query("begin");
    await other.query(holding);
    const cut = proxy.cut({ after: BEGIN, from: "client", byteCount: 1_000_000, rest: "kept" });
    const committed = commit();
    await watcher.waiting(1);
    proxy.cutNow();
    await cut;
    // The retry waits as well.
    await watcher.waiting(2);
    await other.query("commit");
    await committed;
    await expectEachOnce();
  });

  it("are waited for if they were decided, and not repeated", async () => {
    // The commit waits for this trigger when everything else is done.
    await other.query("begin; select pg_advisory_xact_lock(1)");
    const admin = new Client(cluster.url());
    await admin.connect();
    await admin.query(`create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(1); return null; end $$`);
    await admin.query(`create constraint trigger late after update on tidemark_commits
      deferrable initially deferred for each row when (new.number % 2 = 0) execute function wait()`);
    const cut = proxy.cut({ after: BEGIN, from: "client", byteCount: 1_000_000, rest: "kept" });
    const committed = commit();
    await watcher.waiting(1);
    proxy.cutNow();
    await cut;
    // The query for the outcome waits until the commit has ended.
    await watcher.waiting(2);
    await other.query("commit");
    await committed;
    await expectEachOnce();
    await admin.query("drop function wait() cascade");
    await admin.end();
  });

  it("are not written in parts if their transaction could not begin", async () => {
    proxy.spoil(BEGIN, BEGIN.replace("begin", "bogus"));
    const failing = store.transact(async (tx) => {
      await tx.put(things, thing(1, "other"));
      await tx.remove(things, 1, -2);
    });
    await expect(failing).rejects.toMatchObject({ code: "42601" });
    await expectEachOnce();
    await commit();
    await expectEachOnce();
  });
});
