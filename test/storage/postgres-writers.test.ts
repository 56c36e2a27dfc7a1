import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Store, Transaction } from "../../server/storage/store.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import { openThings, thing, thingNames, things, totalOf } from "../support/things.ts";

const ROUNDS = 60;

describe.skipIf(POSTGRES_FOLDER === null)("processes that commit to one Postgres at the same time", () => {
  let cluster: Cluster;
  let stores: Store[];
  beforeAll(async () => {
    cluster = await startCluster();
    // All of them make the tables.
    stores = await Promise.all([0, 1, 2, 3].map(() => openThings(cluster.url(), { connections: 2 })));
  });
  beforeEach(() => cluster.query("truncate things, thing_totals"));
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    expect(cluster.log()).not.toContain("deadlock detected");
    await cluster.remove();
  });

  const together = <T>(work: (tx: Transaction, writer: number) => Promise<T>) =>
    Promise.all(stores.map((store, writer) => store.transact((tx) => work(tx, writer))));

  it("write a record only once if they look whether it is absent", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const answers = await together(async (tx, writer) => {
        if ((await tx.get(things, 1, round)) !== null) return false;
        await tx.insert(things, thing(round, `${round} by ${writer}`));
        return true;
      });
      expect(answers.filter(Boolean)).toHaveLength(1);
      expect((await stores[0]!.get(things, 1, round))!.name).toBe(`${round} by ${answers.indexOf(true)}`);
    }
    expect(await totalOf(stores[0]!)).toBe(ROUNDS);
  });

  it("give a unique value to only one of them", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const answers = await Promise.allSettled(
        stores.map((store, writer) =>
          store.transact((tx) => tx.insert(things, thing(round * 10 + writer, `name ${round}`))),
        ),
      );
      const refused = answers.filter((answer) => answer.status === "rejected");
      expect(refused.map(({ reason }) => (reason as { kind: string }).kind)).toEqual([
        "taken",
        "taken",
        "taken",
      ]);
    }
    expect(await totalOf(stores[0]!)).toBe(ROUNDS);
  });

  it("never both write a record that the other has found absent, by its key or its unique value", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const id = (writer: number) => round * 2 + (writer % 2);
      await together(async (tx, writer) => {
        const found =
          writer < 2
            ? await tx.get(things, 1, id(writer))
            : await tx.find(things, "name", 1, [`thing ${id(writer)}`]);
        if (found === null) await tx.put(things, thing(id(writer + 1)));
      });
    }
    expect(await thingNames(stores[0]!)).toHaveLength(ROUNDS);
  });

  it("never both change a record that the other has read", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      const id = (writer: number) => round * 2 + (writer % 2);
      await stores[0]!.transact(async (tx) => {
        for (const side of [0, 1]) await tx.insert(things, thing(id(side)));
      });
      await together(async (tx, writer) => {
        if ((await tx.get(things, 1, id(writer))) !== null) await tx.remove(things, 1, id(writer + 1));
      });
    }
    expect(await thingNames(stores[0]!)).toHaveLength(ROUNDS);
  });

  it("add to sums of many accounts, in any order", async () => {
    const accounts = Array.from({ length: 40 }, (_, at) => at + 1);
    for (let round = 1; round <= ROUNDS; round++) {
      await together(async (tx, writer) => {
        for (const accountId of writer % 2 ? accounts : accounts.toReversed())
          await tx.insert(things, { ...thing(round * 4 + writer), account_id: accountId, count: writer });
      });
    }
    for (const accountId of accounts) expect(await totalOf(stores[1]!, accountId)).toBe(ROUNDS * 6);
  });

  it("never deadlock, in whatever order they name their records", async () => {
    const ids = Array.from({ length: 40 }, (_, at) => at + 1);
    await stores[0]!.transact(async (tx) => {
      for (const id of ids) await tx.insert(things, thing(id));
    });
    const holder = new Client(cluster.url());
    await holder.connect();
    const watcher = await cluster.watch();
    for (let round = 0; round < 3; round++) {
      await holder.query("begin");
      await holder.query("select id from things where id % 5 = 0 for update");
      const done = together(async (tx, writer) => {
        for (const id of writer % 2 ? ids : ids.toReversed()) {
          const { name, count } = (await tx.get(things, 1, id))!;
          if (id % 4 !== writer) await tx.put(things, thing(id, name, count + 1));
        }
      });
      await watcher.waiting(4);
      await holder.query("commit");
      await done;
    }
    await Promise.all([holder.end(), watcher.end()]);
    expect(await totalOf(stores[1]!)).toBe(40 + 3 * 3 * 40);
  });

  it("never deadlock if they read in an account and then write there", async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      await together(async (tx, writer) => {
        await tx.get(things, 1, round);
        await tx.insert(things, { ...thing(round * 4 + writer), account_id: 0 });
        await tx.view.count(things, "id", 0, []);
        await tx.put(things, thing(round * 4 + writer));
      });
    }
    expect(await thingNames(stores[0]!)).toHaveLength(ROUNDS * stores.length);
  });

  it("find nothing new in an account after they have locked a record of it", async () => {
    await stores[0]!.transact((tx) => tx.insert(things, thing(1)));
    for (let round = 1; round <= ROUNDS; round++) {
      await together(async (tx, writer) => {
        if (writer > 0) return tx.insert(things, thing(round * 4 + writer));
        await tx.lock(things, 1, 1);
        const count = await tx.view.count(things, "id", 1, []);
        return tx.put(things, thing(1, String(await tx.view.count(things, "id", 1, [])), count));
      });
      const { name, count } = (await stores[0]!.get(things, 1, 1))!;
      expect(name).toBe(String(count));
    }
  });

  it("know what they have written even if the engine returns all integers as text", async () => {
    await cluster.query("alter table tidemark_commits alter column number type numeric");
    await stores[0]!.transact((tx) => tx.insert(things, thing(1)));
    expect(await thingNames(stores[1]!)).toEqual(["thing 1"]);
  });
});
