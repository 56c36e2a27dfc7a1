import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../server/failure.ts";
import { collection } from "../../server/storage/collection.ts";
import type { AtomicDriver, Changes } from "../../server/storage/driver.ts";
import { snapshot, type Entry } from "../../server/storage/listing/snapshot.ts";
import type { Store } from "../../server/storage/store.ts";
import { DRIVERS, useEmptyStore } from "../support/drivers.ts";
import { rounds } from "../support/rounds.ts";

interface Person {
  accountId: number;
  id: number;
  email: string | null;
  rank: number;
}

const people = collection<Person>()({
  name: "person",
  id: ({ id }) => [id],
  claims: { email: ({ email }) => (email === null ? null : [email]) },
  indexes: { rank: ({ rank }) => (rank === 0 ? null : [rank]) },
});

const ticks = collection<{ accountId: number; id: number }>()({
  name: "tick",
  id: ({ id }) => [id],
  claims: {},
  indexes: {},
  counts: () => [[["ticks"], 1]],
});

const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };
const ALL = { from: " ", before: "~" };

describe.each(Object.keys(DRIVERS))("the %s driver", (name) => {
  let driver: AtomicDriver;
  let store: Store;
  useEmptyStore(name, (emptyDriver, emptyStore) => {
    driver = emptyDriver;
    store = emptyStore;
  });

  const entries = () => driver.list({ ...ALL, limit: 1_000 });

  it("shows what was committed, and nothing of its own records", async () => {
    await driver.commit({ ...NOTHING, puts: [["b", "2"]], sums: [["a", 1]] });
    // Refusals may leave a mark too.
    expect(await driver.commit({ ...NOTHING, checks: [["b", null]], puts: [["c", "3"]] })).toBe(false);
    expect([...(await driver.getKeys("", {}))].toSorted()).toEqual(["a", "b"]);
    const told: Entry[] = [];
    for await (const chunk of snapshot(driver)) told.push(...chunk);
    expect(told).toEqual([
      ["a", '{"sum":1}'],
      ["b", "2"],
    ]);
  });

  it("writes a whole commit or nothing", async () => {
    expect(
      await driver.commit({
        ...NOTHING,
        checks: [["a", null]],
        puts: [
          ["a", "1"],
          ["b", "2"],
        ],
        sums: [["n", 2]],
      }),
    ).toBe(true);
    const before = await entries();
    expect(before).toEqual([
      ["a", "1"],
      ["b", "2"],
      ["n", '{"sum":2}'],
    ]);
    for (const checks of [[["a", null]], [["b", "other"]], [["c", "x"]]] as [string, string | null][][]) {
      expect(await driver.commit({ checks, puts: [["z", "9"]], removes: ["a"], sums: [["n", 1]] })).toBe(
        false,
      );
    }
    expect(await entries()).toEqual(before);
    expect(
      await driver.commit({ ...NOTHING, checks: [["a", "1"]], removes: ["a", "none"], sums: [["n", -3]] }),
    ).toBe(true);
    expect(await entries()).toEqual([
      ["b", "2"],
      ["n", '{"sum":-1}'],
    ]);
  });

  it("shows a writer its own commit, whatever is read meanwhile", async () => {
    const expected = Array.from({ length: 200 }, (_, at) => String(at));
    const found = expected.map(async (text, at) => {
      const isDone = driver.commit({ ...NOTHING, puts: [[`k${at}`, text]] });
      for (let turn = 0; turn < at % 7; turn++) {
        await nextTurn();
        await driver.getItem(`k${at}`);
      }
      await isDone;
      return driver.getItem(`k${at}`);
    });
    expect(await Promise.all(found)).toEqual(expected);
  });

  it("returns texts exactly as they were stored", async () => {
    const texts = ["true", "1", "null", '{"a":"é\\u0000🜁"}', "", " ", "undefined"];
    await driver.commit({ ...NOTHING, puts: texts.map((text, index) => [`k${index}`, text]) });
    expect(await Promise.all(texts.map((_, index) => driver.getItem(`k${index}`)))).toEqual(texts);
    expect(await driver.getItem("none")).toBeNull();
  });

  it("lists many short values as it lists all others", async () => {
    const puts = Array.from({ length: 300 }, (_, at): Entry => [
      `a${(at * 7919) % 300}`,
      at % 2 ? `{"sum":${at}}` : '["\\"ä\\n"]\n',
    ]);
    await driver.commit({ ...NOTHING, puts });
    for (const range of [{ limit: 1_000 }, { limit: 150 }, { limit: 150, offset: 100 }, { limit: 9 }]) {
      const all = { from: "a", before: "b", ...range };
      expect(await driver.list({ ...all, isOfShort: true })).toEqual(await driver.list(all));
    }
    expect(await driver.list({ from: "x", before: "y", limit: 1_000, isOfShort: true })).toEqual([]);
  });

  it("lists a range in byte order, in both directions, page by page", async () => {
    const keys = ["a", "a!", "a0", "aa", "b", "ba", "c"];
    await driver.commit({ ...NOTHING, puts: keys.toReversed().map((key) => [key, "{}"]) });
    const list = async (range: Parameters<AtomicDriver["list"]>[0]) =>
      (await driver.list(range)).map(([key]) => key);
    expect(await list({ from: "a", before: "b", limit: 10 })).toEqual(["a", "a!", "a0", "aa"]);
    expect(await list({ from: "a", before: "b", limit: 2 })).toEqual(["a", "a!"]);
    expect(await list({ from: "a", before: "b", limit: 2, reverse: true })).toEqual(["aa", "a0"]);
    expect(await list({ from: "a!", before: "c", limit: 9, reverse: true })).toEqual([
      "ba",
      "b",
      "aa",
      "a0",
      "a!",
    ]);
    expect(await list({ from: "x", before: "y", limit: 9 })).toEqual([]);
    expect(await driver.count({ from: "a", before: "b" })).toBe(4);
    expect(await driver.count({ from: "x", before: "y" })).toBe(0);
  });

  it("refuses a key that is too long before it writes anything", async () => {
    const puts: [string, string][] = [
      ["a", "1"],
      ["k".repeat(1_979), "2"],
    ];
    await expect(driver.commit({ ...NOTHING, puts })).rejects.toThrow(RangeError);
    expect(await entries()).toEqual([]);
    expect(await driver.commit({ ...NOTHING, puts: [["k".repeat(1_978), "2"]] })).toBe(true);
  });

  it("applies simultaneous commits one after the other", async () => {
    const commits = Array.from({ length: 50 }, (_, index) =>
      driver.commit({
        ...NOTHING,
        checks: [["claim", null]],
        puts: [["claim", `${index}`]],
        sums: [["n", 1]],
      }),
    );
    expect((await Promise.all(commits)).filter(Boolean)).toHaveLength(1);
    expect(await driver.getItem("n")).toBe('{"sum":1}');
  });

  describe("under a store", () => {
    const put = (person: Omit<Person, "accountId">) =>
      store.transact((tx) => tx.put(people, { accountId: 1, ...person }));

    it("keeps a record, its claims and its index entries together through changes", async () => {
      await put({ id: 1, email: "a@b", rank: 5 });
      await put({ id: 2, email: "c@d", rank: -7 });
      await put({ id: 3, email: null, rank: 0 });
      expect(await store.find(people, "email", 1, ["a@b"])).toMatchObject({ id: 1 });
      expect(await store.find(people, "email", 2, ["a@b"])).toBeNull();
      expect((await store.page(people, "rank", 1, [], { limit: 9 })).map(({ id }) => id)).toEqual([2, 1]);
      await put({ id: 1, email: "e@f", rank: -8 });
      expect(await store.find(people, "email", 1, ["a@b"])).toBeNull();
      expect((await store.page(people, "rank", 1, [], { limit: 9 })).map(({ id }) => id)).toEqual([1, 2]);
      expect(await store.page(people, "rank", 1, [-8], { limit: 9 })).toHaveLength(1);
      expect((await store.page(people, "id", 1, [], { limit: 2, offset: 1 })).map(({ id }) => id)).toEqual([
        2, 3,
      ]);
      expect(
        (await store.page(people, "id", 1, [], { limit: 1, reverse: true })).map(({ id }) => id),
      ).toEqual([3]);
      expect(await store.count(people, "rank", 1, [])).toBe(2);
      await store.transact((tx) => tx.remove(people, 1, 1));
      expect(await store.get(people, 1, 1)).toBeNull();
      expect(await store.find(people, "email", 1, ["e@f"])).toBeNull();
      expect(await store.count(people, "rank", 1, [])).toBe(1);
      await store.transact((tx) => tx.remove(people, 1, 2));
      await store.transact((tx) => tx.remove(people, 1, 3));
      expect(await entries()).toEqual([]);
    });

    it("refuses a claim that another record holds, with the given refusal", async () => {
      await put({ id: 1, email: "a@b", rank: 1 });
      const before = await entries();
      await expect(put({ id: 2, email: "a@b", rank: 2 })).rejects.toMatchObject({ kind: "taken" });
      const own = () => new Failure("conflict", "mine");
      await expect(
        store.transact((tx) =>
          tx.put(people, { accountId: 1, id: 2, email: "a@b", rank: 2 }, { email: own }),
        ),
      ).rejects.toThrow("mine");
      expect(await entries()).toEqual(before);
      await store.transact((tx) => tx.put(people, { accountId: 2, id: 2, email: "a@b", rank: 2 }));
    });

    it("keeps claims apart, whatever their length and characters", async () => {
      const emails = [
        "10",
        "9",
        "a/b",
        "A?",
        "",
        " ",
        "a:b",
        "é",
        "9".repeat(65),
        "9".repeat(66),
        "x".repeat(10_000),
      ];
      for (const [at, email] of emails.entries()) await put({ id: at + 1, email, rank: 0 });
      for (const [at, email] of emails.entries()) {
        expect(await store.find(people, "email", 1, [email])).toMatchObject({ id: at + 1, email });
        await expect(put({ id: 99, email, rank: 0 })).rejects.toMatchObject({ kind: "taken" });
      }
    });

    it("inserts a record with its claims and index entries, and refuses a claim that another record holds", async () => {
      const insert = (id: number) =>
        store.transact((tx) => tx.insert(people, { accountId: 1, id, email: "a@b", rank: 4 }));
      await insert(1);
      expect(await store.find(people, "email", 1, ["a@b"])).toMatchObject({ id: 1 });
      expect(await store.count(people, "rank", 1, [4])).toBe(1);
      const before = await entries();
      await expect(insert(2)).rejects.toMatchObject({ kind: "taken" });
      expect(await entries()).toEqual(before);
    });

    it("returns records that no reader can change for others", async () => {
      await put({ id: 1, email: "a@b", rank: 1 });
      const person = (await store.get(people, 1, 1))!;
      expect(() => (person.rank = 2)).toThrow(TypeError);
      expect(await store.get(people, 1, 1)).toMatchObject({ rank: 1 });
    });

    it("shows a transaction its own writes, but no uncommitted writes of others", async () => {
      await store.transact(async (tx) => {
        await tx.put(people, { accountId: 1, id: 1, email: "a@b", rank: 1 });
        expect(await tx.find(people, "email", 1, ["a@b"])).toMatchObject({ id: 1 });
        expect(await store.get(people, 1, 1)).toBeNull();
        await tx.remove(people, 1, 1);
        expect(await tx.get(people, 1, 1)).toBeNull();
        await tx.put(people, { accountId: 1, id: 2, email: "a@b", rank: 1 });
      });
      expect(await store.find(people, "email", 1, ["a@b"])).toMatchObject({ id: 2 });
    });

    it("loses none of many simultaneous read-add-write cycles", async () => {
      await put({ id: 1, email: null, rank: 0 });
      await Promise.all(
        Array.from({ length: 64 }, (_, id) =>
          store.transact(async (tx) => {
            const person = (await tx.get(people, 1, 1))!;
            await tx.put(people, { ...person, rank: person.rank + 1 });
            await tx.insert(ticks, { accountId: 1, id });
          }),
        ),
      );
      expect(await store.get(people, 1, 1)).toMatchObject({ rank: 64 });
      expect([await store.sum(1, ["ticks"]), await store.sum(1, ["none"])]).toEqual([64, 0]);
    });

    it("decides a refusal again if its reads have changed", async () => {
      await put({ id: 1, email: "a@b", rank: 1 });
      let tries = 0;
      await store.transact(async (tx) => {
        const person = await tx.get(people, 1, 1);
        if (tries++ === 0) await put({ id: 1, email: "a@b", rank: 2 });
        if (person!.rank === 1) throw new Failure("invalid", "stale");
        await tx.put(people, { ...person!, rank: 3 });
      });
      expect(tries).toBe(2);
      expect(await store.get(people, 1, 1)).toMatchObject({ rank: 3 });
    });

    it("gives many simultaneous callers ids that grow and never repeat", async () => {
      const ids = await Promise.all(Array.from({ length: 1_000 }, () => store.nextId("person")));
      expect(new Set(ids).size).toBe(1_000);
      expect(Math.min(...ids)).toBe(1);
      expect(await store.nextId("other")).toBe(1);
    });

    it("gives interleaved transactions the result of some serial order", async () => {
      const transfer = fc.record({
        from: fc.integer({ min: 1, max: 4 }),
        to: fc.integer({ min: 1, max: 4 }),
        amount: fc.integer({ min: 1, max: 5 }),
        email: fc.constantFrom("a", "b", "c"),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(transfer, { minLength: 2, maxLength: 12 }), async (transfers) => {
          const account = await store.nextId("account");
          const work = async ({ from, to, amount, email }: (typeof transfers)[number], id: number) =>
            store.transact(async (tx) => {
              const giver = (await tx.get(people, account, from)) ?? blank(account, from);
              const taker = (await tx.get(people, account, to)) ?? blank(account, to);
              if (from !== to) {
                await tx.put(people, { ...giver, rank: giver.rank - amount });
                await tx.put(people, { ...taker, rank: taker.rank + amount });
              }
              const holder = await tx.find(people, "email", account, [email]);
              if (holder === null)
                await tx.put(people, { ...((await tx.get(people, account, to)) ?? taker), email });
              await tx.insert(ticks, { accountId: account, id });
            });
          await Promise.all(transfers.map(work));
          const found = await store.page(people, "id", account, [], { limit: 9 });
          expect(found.reduce((sum, { rank }) => sum + rank, 0)).toBe(0);
          expect(await store.sum(account, ["ticks"])).toBe(transfers.length);
          for (const { id, rank } of found) expect(rank).toBe(expectedRank(transfers, id));
          const emails = found.map(({ email }) => email).filter((email) => email !== null);
          expect(new Set(emails).size).toBe(emails.length);
          for (const { id, email } of found) {
            if (email !== null)
              expect(await store.find(people, "email", account, [email])).toMatchObject({ id });
          }
          expect(await store.count(people, "rank", account, [])).toBe(
            found.filter(({ rank }) => rank !== 0).length,
          );
        }),
        { numRuns: name === "memory" ? 60 : rounds(8, 20) },
      );
    });
  });
});

function blank(accountId: number, id: number): Person {
  return { accountId, id, email: null, rank: 0 };
}

function expectedRank(transfers: { from: number; to: number; amount: number }[], id: number): number {
  return transfers
    .filter(({ from, to }) => from !== to)
    .reduce((sum, { from, to, amount }) => sum + (to === id ? amount : 0) - (from === id ? amount : 0), 0);
}
