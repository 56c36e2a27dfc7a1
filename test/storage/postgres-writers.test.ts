import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AtomicDriver, Changes } from "../../server/storage/driver.ts";
import { postgresDriver } from "../../server/storage/drivers/postgres.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";

const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };
const ROUNDS = 60;

describe.skipIf(POSTGRES_FOLDER === null)("processes that commit to one Postgres at the same time", () => {
  let cluster: Cluster;
  let drivers: AtomicDriver[];
  beforeAll(async () => {
    cluster = await startCluster();
    const open = () => postgresDriver(cluster.url(), { connections: 2 });
    drivers = await Promise.all([open(), open(), open(), open()]);
  });
  afterAll(async () => {
    await Promise.all(drivers.map((driver) => driver.dispose?.()));
    await cluster.remove();
  });

  const together = (changes: (writer: number) => Changes) =>
    Promise.all(drivers.map((driver, writer) => driver.commit(changes(writer))));

  it("write an item only once if they check that it is absent", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = `claim${round}`;
      const answers = await together((writer) => ({
        ...NOTHING,
        checks: [[key, null]],
        puts: [[key, `${writer}`]],
        sums: [["1:claims", 1]],
      }));
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect(await drivers[0]!.getItem(key)).toBe(`${answers.indexOf(true)}`);
    }
    expect(await drivers[0]!.getItem("1:claims")).toBe(`{"sum":${ROUNDS}}`);
  });

  it("never both write an item that the other has checked to be absent", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = (writer: number) => `2:skew${round}-${writer % 2}`;
      await together((writer) => ({
        ...NOTHING,
        checks: [[key(writer), null]],
        puts: [[key(writer + 1), "{}"]],
      }));
      const written = await Promise.all([0, 1].map((side) => drivers[0]!.getItem(key(side))));
      expect(written.filter((text) => text !== null)).toHaveLength(1);
    }
  });

  it("never both change an item that the other has checked", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const key = (writer: number) => `2:pair${round}-${writer % 2}`;
      await drivers[0]!.commit({
        ...NOTHING,
        puts: [
          [key(0), "old"],
          [key(1), "old"],
        ],
      });
      await together((writer) => ({
        ...NOTHING,
        checks: [[key(writer), "old"]],
        removes: [key(writer + 1)],
      }));
      const left = await Promise.all([0, 1].map((side) => drivers[0]!.getItem(key(side))));
      expect(left.filter((text) => text === "old")).toHaveLength(1);
    }
  });

  it("add to counters of many accounts, in any order", async () => {
    const accounts = Array.from({ length: 40 }, (_, account) => `${account}:n`);
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await together((writer) => ({
        ...NOTHING,
        sums: (writer % 2 ? accounts : accounts.toReversed()).map((key) => [key, writer]),
      }));
      expect(answers).toEqual([true, true, true, true]);
    }
    for (const key of accounts) expect(await drivers[1]!.getItem(key)).toBe(`{"sum":${ROUNDS * 6}}`);
  });

  it("never deadlock, in whatever order they name their keys", async () => {
    const accounts = Array.from({ length: 40 }, (_, account) => `${account}:circle`);
    const holder = new Client(cluster.url());
    await holder.connect();
    const watcher = await cluster.watch();
    for (let round = 0; round < 3; round++) {
      // Each has taken some of its locks when it reaches one that is held.
      await holder.query("begin");
      await holder.query("select slot from tidemark_locks where slot % 5 = 0 for update");
      const answers = together((writer) => ({
        ...NOTHING,
        sums: (writer % 2 ? accounts : accounts.toReversed()).map((key) => [key, 1]),
      }));
      await watcher.waiting(4);
      await holder.query("commit");
      expect(await answers).toEqual([true, true, true, true]);
    }
    await Promise.all([holder.end(), watcher.end()]);
    for (const key of accounts) expect(await drivers[1]!.getItem(key)).toBe('{"sum":12}');
    expect(cluster.log()).not.toContain("deadlock detected");
  });

  it("know what they have written even if the engine returns all integers as text", async () => {
    await cluster.query("alter table tidemark_commits alter column done type bigint[]");
    const driver = await postgresDriver(cluster.url(), { connections: 2 });
    const changes = (value: string): Changes => ({
      ...NOTHING,
      checks: [["3:large", null]],
      puts: [["3:large", value]],
    });
    const answers = await Promise.all([
      driver.commit(changes("a")),
      driver.commit({ ...NOTHING, puts: [["4:x", "b"]] }),
    ]);
    expect([...answers, await driver.commit(changes("c"))]).toEqual([true, true, false]);
    expect(await driver.getItem("3:large")).toBe("a");
    await driver.dispose?.();
  });
});
