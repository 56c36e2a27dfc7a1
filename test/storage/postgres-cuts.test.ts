import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AtomicDriver, Changes } from "../../server/storage/driver.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { startProxy, type TcpProxy } from "../support/tcp-proxy.ts";

/** How a commit begins on the wire. */
const BEGIN = "begin isolation level";

describe.skipIf(POSTGRES_FOLDER === null)("commits to Postgres over connections that are cut", () => {
  let cluster: Cluster;
  let proxy: TcpProxy;
  let driver: AtomicDriver;
  /** Holds locks that the commits need. */
  let other: Client;
  let watcher: Awaited<ReturnType<Cluster["watch"]>>;
  let count = 0;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  beforeEach(async () => {
    proxy = await startProxy(cluster.port);
    driver = await postgresDriver(cluster.url(proxy.port), { connections: 2 });
    other = new Client(cluster.url());
    await other.connect();
    watcher = await cluster.watch();
    await other.query("truncate tidemark_items");
    count = 0;
    await commit();
  });
  afterEach(async () => {
    await driver.dispose?.();
    await Promise.all([other.end(), watcher.end()]);
    proxy.close();
  });
  afterAll(() => cluster.remove());

  /** A commit that counts itself, and that would fail if it were repeated after it was written. */
  async function commit(): Promise<void> {
    const last = `last${count}`;
    const changes: Changes = {
      checks: [[`k${++count}`, null]],
      puts: [
        [`k${count}`, `${count}`],
        [`last${count}`, "{}"],
      ],
      removes: [last],
      sums: [["n", 1]],
    };
    expect(await driver.commit(changes)).toBe(true);
  }

  async function expectEachOnce(): Promise<void> {
    const keys = Array.from({ length: count }, (_, index) => [`k${index + 1}`, `${index + 1}`]);
    const expected = [...keys, [`last${count}`, "{}"], ["n", `{"sum":${count}}`]] as [string, string][];
    const found = await driver.list({ from: " ", before: "~", limit: 10_000 });
    expect(found).toEqual(expected.sort(([left], [right]) => (left < right ? -1 : 1)));
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

  it.each([0, 20, 700])(
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

  it.each(["client", "server"] as const)(
    "are looked up again where the look-up is cut as well, in the bytes of the %s",
    async (from) => {
      const cut = proxy.cut({ after: BEGIN, from: "server", byteCount: 100, rest: "lost" });
      const again = cut.then(() => proxy.cut({ after: "done = null", from, byteCount: 10, rest: "lost" }));
      await commit();
      await again;
      await expectEachOnce();
    },
  );

  it("are given up while they wait for their turn, and not written later", async () => {
    await other.query("begin");
    await other.query("update tidemark_locks set turn = turn + 1");
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
    await other.query("begin");
    await other.query("select value from tidemark_items where key = 'n' for update");
    const cut = proxy.cut({ after: BEGIN, from: "client", byteCount: 1_000_000, rest: "kept" });
    const committed = commit();
    await watcher.waiting(1);
    proxy.cutNow();
    await cut;
    // The question for the outcome waits until the commit has ended.
    await watcher.waiting(2);
    await other.query("commit");
    await committed;
    await expectEachOnce();
  });

  it("are not written in parts if their transaction could not begin", async () => {
    proxy.spoil(BEGIN, BEGIN.replace("begin", "bogus"));
    const changes: Changes = {
      checks: [["k1", "1"]],
      puts: [["k1", "other"]],
      removes: ["last1"],
      sums: [["n", 1]],
    };
    await expect(driver.commit(changes)).rejects.toMatchObject({ code: "42601" });
    await expectEachOnce();
    await commit();
    await expectEachOnce();
  });
});
