import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Failure, LOST_RACE } from "../../server/failure.ts";
import { postgresEngine } from "../../server/storage/engines/postgres/engine.ts";
import type { Engine } from "../../server/storage/session.ts";
import { newStore, type Store, type Transaction } from "../../server/storage/store.ts";
import { POOLER, startPooler, type Pooler } from "../support/pooler.ts";
import { startCluster, type Cluster } from "../support/postgres.ts";
import { POSTGRES_FOLDER } from "../support/postgres-programs.ts";
import {
  openThings,
  THING_TABLES,
  thing,
  thingNames,
  things,
  totalOf,
  type Thing,
} from "../support/things.ts";

const taken = (name: string) => new Failure("taken", name);

const WAYS = [
  ["", async () => null],
  [" by way of a pooler", startPooler],
] as const;

describe.skipIf(POSTGRES_FOLDER === null).each(POOLER ? WAYS : WAYS.slice(0, 1))(
  "transactions on Postgres%s",
  (_, startBefore) => {
    let cluster: Cluster;
    let pooler: Pooler | null;
    let engines: Engine[];
    let store: Store;
    let other: Store;
    beforeAll(async () => {
      cluster = await startCluster();
      pooler = await startBefore(cluster);
      const url = cluster.url(pooler?.port);
      // Both make the tables.
      engines = await Promise.all(
        [4, 2].map((connections) => postgresEngine(url, { tables: THING_TABLES, connections })),
      );
      [store, other] = engines.map((engine) => newStore(engine)) as [Store, Store];
    });
    beforeEach(() => cluster.query("truncate things, thing_totals"));
    afterAll(async () => {
      await Promise.all([store.close(), other.close()]);
      await pooler?.end();
      await cluster.remove();
    });

    const insert = (...all: Thing[]) =>
      store.transact(async (tx) => {
        for (const each of all) await tx.insert(things, each);
      });
    const names = (by = store) => thingNames(by);

    it("write, find, list, count, sum and remove", async () => {
      await insert(thing(1), thing(2, "", 5));
      expect(await store.get(things, 1, 1)).toEqual(thing(1));
      expect(await store.find(things, "name", 1, ["thing 1"])).toEqual(thing(1));
      expect(await store.get(things, 1, 3)).toBeNull();
      expect(await store.page(things, "count", 1, [], { limit: 9, reverse: true })).toEqual([
        thing(2, "", 5),
        thing(1),
      ]);
      expect(await store.count(things, "count", 1, [5])).toBe(1);
      expect(await totalOf(store)).toBe(6);
      await store.transact(async (tx) => {
        await tx.put(things, thing(1, "other", 3));
        await tx.remove(things, 1, 2);
      });
      expect(await names(other)).toEqual(["other"]);
      expect(await totalOf(other)).toBe(3);
    });

    it("see what they have written, by key, unique value, list and sum", async () => {
      await insert(thing(1), thing(2));
      await store.transact(async (tx) => {
        await tx.put(things, thing(1, "new", 7));
        await tx.insert(things, thing(3));
        await tx.remove(things, 1, 2);
        expect(await tx.get(things, 1, 1)).toEqual(thing(1, "new", 7));
        expect(await tx.get(things, 1, 2)).toBeNull();
        expect(await tx.find(things, "name", 1, ["new"])).toEqual(thing(1, "new", 7));
        expect(await tx.find(things, "name", 1, ["thing 1"])).toBeNull();
        expect(await tx.find(things, "name", 1, ["thing 2"])).toBeNull();
        expect(await totalOf(tx.view)).toBe(8);
        expect(await tx.view.page(things, "id", 1, [], { limit: 9 })).toEqual([thing(1, "new", 7), thing(3)]);
        expect(await names(other)).toEqual(["thing 1", "thing 2"]);
        await tx.put(things, thing(1, "newer", 7));
        await tx.put(things, thing(3, "new"));
        expect(await tx.find(things, "name", 1, ["new"])).toEqual(thing(3, "new"));
      });
      expect(await names(other)).toEqual(["newer", "new"]);
    });

    it("let a unique value go from one record to another, and back", async () => {
      await insert(thing(1, "a"), thing(2, "b"));
      await store.transact(async (tx) => {
        await tx.put(things, thing(1, ""));
        await tx.put(things, thing(2, "a"));
        await tx.put(things, thing(1, "b"));
      });
      expect(await names()).toEqual(["b", "a"]);
    });

    it("refuse a unique value and a key that another record has, where they are written", async () => {
      await insert(thing(1, "a"));
      const refused = async (tx: Transaction, each: Thing) =>
        tx.insert(things, each, { name: () => taken("name") }).catch((error: Failure) => error.message);
      const work = async (tx: Transaction) => [
        await refused(tx, thing(2, "a")),
        await refused(tx, thing(1, "b")),
        await refused(tx, thing(3, "c")),
      ];
      expect(await store.transact(work)).toEqual(["name", "id has already been taken", undefined]);
      expect(await names()).toEqual(["a", "c"]);
      const first = store.transact(async (tx) => {
        await tx.insert(things, thing(4, "a"), { name: () => taken("first") });
        throw taken("second");
      });
      await expect(first).rejects.toThrow("first");
    });

    it("write nothing when the work fails", async () => {
      const failing = store.transact(async (tx) => {
        await tx.insert(things, thing(1));
        await tx.view.page(things, "id", 1, [], { limit: 1 });
        throw new TypeError("bug");
      });
      await expect(failing).rejects.toThrow(new TypeError("bug"));
      expect(await names()).toEqual([]);
      expect(await totalOf(store)).toBe(0);
    });

    it("run again if others have changed what they have read, and decide errors again", async () => {
      await insert(thing(1), thing(2));
      let runs = 0;
      const interfere = async (id: number, count: number) => {
        if (runs++ === 0) await other.transact((tx) => tx.put(things, thing(id, `thing ${id}`, count)));
      };
      await store.transact(async (tx) => {
        const { count } = (await tx.get(things, 1, 1))!;
        await interfere(1, 10);
        await tx.put(things, thing(2, "sum", count));
      });
      expect([runs, (await store.get(things, 1, 2))!.count]).toEqual([2, 10]);
      runs = 0;
      const decided = await store.transact(async (tx) => {
        const first = (await tx.get(things, 1, 1))!;
        await interfere(1, 20);
        const second = (await tx.find(things, "name", 1, ["sum"]))!;
        if (first.count !== 20) throw new Failure("invalid", "stale");
        return second.count;
      });
      expect([runs, decided]).toEqual([2, 10]);
    });

    it("give up if others keep changing what they have read, and show no error of the database", async () => {
      await insert(thing(1), thing(2));
      const now = performance.now.bind(performance);
      let aheadMs = 0;
      const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + aheadMs);
      const lost = store.transact(async (tx) => {
        const { count } = (await tx.get(things, 1, 1))!;
        await other.transact((within) => within.put(things, thing(1, "thing 1", count + 1)));
        aheadMs += 3_000;
        await tx.put(things, thing(2, "sum", count));
      });
      const message = "Other requests kept changing the same records; try again";
      await expect(lost).rejects.toMatchObject({ kind: "unavailable", message, cause: LOST_RACE });
      clock.mockRestore();
    });

    it("run again if others have written what they have missed or listed", async () => {
      await insert(thing(1));
      let runs = 0;
      await store.transact(async (tx) => {
        const missed = (await tx.find(things, "name", 1, ["gap"])) === null;
        const [listed] = await tx.view.page(things, "count", 1, [], { limit: 1 });
        if (runs++ === 0) await other.transact((by) => by.put(things, thing(2, "gap", 9)));
        else if (runs === 2) await other.transact((by) => by.put(things, thing(1, "thing 1", 5)));
        await tx.put(things, thing(1, missed ? "wrong" : "right", listed!.count + 1));
      });
      expect([runs, await store.get(things, 1, 1)]).toEqual([3, thing(1, "right", 6)]);
    });

    it("hold what they lock", async () => {
      await insert(thing(1));
      const order: string[] = [];
      let second: Promise<void> | undefined;
      await store.transact(async (tx) => {
        const { count } = (await tx.lock(things, 1, 1))!;
        second ??= other
          .transact(async (by) => {
            const locked = await by.lock(things, 1, 1);
            await by.put(things, thing(1, "thing 1", locked!.count + 1));
          })
          .then(() => void order.push("second"));
        await new Promise((resolve) => setTimeout(resolve, 50));
        await tx.put(things, thing(1, "thing 1", count + 1));
        order.push("first");
      });
      await second;
      expect([order, (await store.get(things, 1, 1))!.count]).toEqual([["first", "second"], 3]);
    });

    it("lose none of many additions by two processes, with and without locks", async () => {
      await insert(thing(1, "one", 0));
      const add = (by: Store, at: number) =>
        by.transact(async (tx) => {
          const { count } = (await (at % 3 ? tx.get(things, 1, 1) : tx.lock(things, 1, 1)))!;
          await tx.put(things, thing(1, "one", count + 1));
        });
      await Promise.all([store, other].flatMap((by) => Array.from({ length: 20 }, (_, at) => add(by, at))));
      expect((await store.get(things, 1, 1))!.count).toBe(40);
      expect(await totalOf(store)).toBe(40);
    });

    it("cost each other nothing if one can't be held, has a taken value or is outdated, though they are committed together", async () => {
      await insert(thing(1, "a"), thing(2));
      const tooLong = randomBytes(10_000).toString("base64");
      const bad = [tooLong, "a", "outdated"];
      let runs = 0;
      const outcomes = await Promise.allSettled(
        [...bad, ...Array.from({ length: 40 }, (_, at) => `good ${at}`)].map((name, at) =>
          store.transact(async (tx) => {
            if (name === "outdated") {
              await tx.get(things, 1, 2);
              if (runs++ === 0) await other.transact((by) => by.put(things, thing(2, "changed")));
            }
            await tx.insert(things, thing(10 + at, name));
          }),
        ),
      );
      expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(2);
      expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ kind: "taken" });
      expect(runs).toBe(2);
      expect(await names()).toEqual([
        "a",
        "changed",
        "outdated",
        ...Array.from({ length: 40 }, (_, at) => `good ${at}`),
      ]);
      expect(await totalOf(store)).toBe(43);
    });

    it("give ids that no other process gives", async () => {
      const take = (by: Store) => Promise.all(Array.from({ length: 600 }, () => by.nextId("thing")));
      const ids = (await Promise.all([take(store), take(other), take(store)])).flat();
      expect(new Set(ids).size).toBe(1_800);
      expect(Math.min(...ids)).toBe(1);
    });

    it("read instants as they are in every time zone", async () => {
      const url = cluster.url(pooler?.port);
      const ats = [
        "0001-01-01T00:00:00.000Z",
        "1850-01-01T00:00:00.001Z",
        "2026-03-29T01:30:00.100Z",
        "9999-12-31T23:59:59.999Z",
      ];
      for (const zone of ["America/St_Johns", "Asia/Kolkata"]) {
        await cluster.query(`alter database postgres set timezone = '${zone}'`);
        const engine = await postgresEngine(url, { tables: THING_TABLES, connections: 2 });
        const rows = await engine.reads.all({
          text: "select cast(at as timestamptz) from unnest(cast($1 as text[])) as given(at)",
          values: [ats as never],
        });
        expect(rows.flat()).toEqual(ats);
        await engine.close();
      }
      await cluster.query("alter database postgres reset timezone");
    });

    it("are refused if the database writes instants in another form", async () => {
      await cluster.query("alter database postgres set datestyle = 'German'");
      const opening = postgresEngine(cluster.url(), { tables: THING_TABLES, connections: 2 });
      await expect(opening).rejects.toThrow("its DateStyle is German, DMY, and must be ISO");
      await cluster.query("alter database postgres reset datestyle");
    });

    it("are read as of one moment by a snapshot", async () => {
      await insert(thing(1));
      const snapshot = await engines[0]!.snapshot();
      await insert(thing(2));
      expect(await snapshot.ask({ text: "select id, name from things", values: [] })).toEqual([
        { id: 1, name: "thing 1" },
      ]);
      expect(await snapshot.get(things, 1, [2])).toBeNull();
      await snapshot.close();
    });
  },
);

describe.skipIf(POSTGRES_FOLDER === null)("a large transaction on Postgres", () => {
  it("is written and removed beside others", async () => {
    const cluster = await startCluster();
    const [store, other] = await Promise.all([openThings(cluster.url()), openThings(cluster.url())]);
    const large = Array.from({ length: 10_000 }, (_, at) => thing(at + 1));
    const small = async (by: Store, first: number) => {
      for (let id = first; id < first + 50; id++) await by.transact((tx) => tx.insert(things, thing(id)));
    };
    const insertAll = store.transact(async (tx) => {
      for (const each of large) await tx.insert(things, each);
    });
    await Promise.all([insertAll, small(other, 20_001), small(store, 30_001)]);
    expect(await totalOf(store)).toBe(10_100);
    const remove = store.transact(async (tx) => {
      for await (const chunk of tx.view.scan(things, "count", 1, [1]))
        for (const { id } of chunk) if (id <= 10_000) await tx.remove(things, 1, id);
    });
    await Promise.all([remove, small(other, 40_001)]);
    expect(await other.count(things, "id", 1, [])).toBe(150);
    await Promise.all([store.close(), other.close()]);
    await cluster.remove();
  });
});

describe.skipIf(POSTGRES_FOLDER === null)("a database of another program", () => {
  it("is refused and gets no tables", async () => {
    const cluster = await startCluster();
    await cluster.query("create table items (id integer, name text)");
    await expect(openThings(cluster.url())).rejects.toThrow("the database belongs to another program");
    const tables = "select tablename from pg_tables where schemaname = 'public'";
    expect((await cluster.query(tables)).rows).toEqual([{ tablename: "items" }]);
    await cluster.remove();
  });
});

describe.skipIf(POSTGRES_FOLDER === null)("a role that may only read and write rows", () => {
  it("uses the tables of another one", async () => {
    const cluster = await startCluster();
    await (await openThings(cluster.url())).close();
    await cluster.query("create role clerk login");
    await cluster.query("grant select, insert, update, delete on all tables in schema public to clerk");
    const store = await openThings(cluster.url().replace("tidemark@", "clerk@"));
    await store.transact((tx) => tx.insert(things, thing(1)));
    expect([await thingNames(store), await store.nextId("thing")]).toEqual([["thing 1"], 1]);
    await store.close();
    await cluster.remove();
  });
});
