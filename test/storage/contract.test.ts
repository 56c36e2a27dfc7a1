import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../server/failure.ts";
import type { Engine } from "../../server/storage/session.ts";
import { integer, table, text, type RowOf } from "../../server/storage/table.ts";
import type { Store } from "../../server/storage/store.ts";
import { entriesIn } from "../support/entries.ts";
import { rounds } from "../support/rounds.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

const personFields = {
  id: integer(),
  email: text().nullable(),
  rank: integer(),
};

type Person = RowOf<typeof personFields>;

const people = table("person", personFields, {
  unique: { email: ["email"] },
  indexes: { rank: { on: ["rank"], where: "rank <> 0" } },
});

const fields = {
  id: integer(),
};

const ticks = table("tick", fields);

const TABLES = [people, ticks];

describe.each(KINDS)("a store on %s", (name) => {
  let engine: Engine;
  let store: Store;
  useEmptyStore(name, TABLES, (emptyEngine, emptyStore) => {
    engine = emptyEngine;
    store = emptyStore;
  });

  const entries = () => entriesIn(engine, TABLES);
  const put = (person: Omit<Person, "account_id">) =>
    store.transact((tx) => tx.put(people, { account_id: 1, ...person }));

  it("keeps a record, its unique values and its place in listings together through changes", async () => {
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
    expect((await store.page(people, "id", 1, [], { limit: 1, reverse: true })).map(({ id }) => id)).toEqual([
      3,
    ]);
    expect(await store.count(people, "rank", 1, [])).toBe(2);
    await store.transact((tx) => tx.remove(people, 1, 1));
    expect(await store.get(people, 1, 1)).toBeNull();
    expect(await store.find(people, "email", 1, ["e@f"])).toBeNull();
    expect(await store.count(people, "rank", 1, [])).toBe(1);
    await store.transact((tx) => tx.remove(people, 1, 2));
    await store.transact((tx) => tx.remove(people, 1, 3));
    expect(await entries()).toEqual([]);
  });

  it("lists a range in both directions, page by page and as a whole", async () => {
    await store.transact(async (tx) => {
      for (let id = 1; id <= 2_500; id++)
        await tx.insert(people, { account_id: 1, id, email: null, rank: 1 + (id % 7) });
    });
    const between = { from: 2, before: 5 };
    const all = await store.page(people, "rank", 1, [], { limit: 5_000, between });
    expect(all.map(({ rank }) => rank)).toEqual(all.map(({ rank }) => rank).toSorted());
    const scanned: Person[] = [];
    for await (const chunk of store.scan(people, "rank", 1, [], between)) scanned.push(...chunk);
    expect(scanned).toEqual(all);
    expect(await store.count(people, "rank", 1, [], between)).toBe(all.length);
    const last = await store.page(people, "rank", 1, [], { limit: 3, offset: 2, reverse: true, between });
    expect(last).toEqual(all.toReversed().slice(2, 5));
  });

  it("refuses a unique value that another record has, with the given refusal", async () => {
    await put({ id: 1, email: "a@b", rank: 1 });
    const before = await entries();
    await expect(put({ id: 2, email: "a@b", rank: 2 })).rejects.toMatchObject({ kind: "taken" });
    const own = () => new Failure("conflict", "mine");
    await expect(
      store.transact((tx) =>
        tx.insert(people, { account_id: 1, id: 2, email: "a@b", rank: 2 }, { email: own }),
      ),
    ).rejects.toThrow("mine");
    await expect(
      store.transact(async (tx) => {
        await tx.put(people, { account_id: 1, id: 7, email: "g@h", rank: 2 });
        await tx.put(people, { account_id: 1, id: 8, email: "a@b", rank: 2 });
      }),
    ).rejects.toMatchObject({ kind: "taken" });
    expect(await entries()).toEqual(before);
    await store.transact((tx) => tx.put(people, { account_id: 2, id: 2, email: "a@b", rank: 2 }));
  });

  it("keeps unique values apart, whatever their characters", async () => {
    const emails = ["10", "9", "a/b", "A?", "", " ", "a:b", "é", "9".repeat(65), "x".repeat(2_000)];
    for (const [at, email] of emails.entries()) await put({ id: at + 1, email, rank: 0 });
    for (const [at, email] of emails.entries()) {
      expect(await store.find(people, "email", 1, [email])).toMatchObject({ id: at + 1, email });
      await expect(put({ id: 99, email, rank: 0 })).rejects.toMatchObject({ kind: "taken" });
    }
  });

  it("returns records that no reader can change for others", async () => {
    await put({ id: 1, email: "a@b", rank: 1 });
    const person = (await store.get(people, 1, 1))!;
    expect(() => (person.rank = 2)).toThrow(TypeError);
    expect(await store.get(people, 1, 1)).toMatchObject({ rank: 1 });
  });

  it("shows a transaction its own writes, but no uncommitted writes of others", async () => {
    await store.transact(async (tx) => {
      await tx.put(people, { account_id: 1, id: 1, email: "a@b", rank: 1 });
      expect(await tx.find(people, "email", 1, ["a@b"])).toMatchObject({ id: 1 });
      expect(await tx.view.page(people, "rank", 1, [], { limit: 2 })).toMatchObject([{ id: 1 }]);
      expect(await store.get(people, 1, 1)).toBeNull();
      await tx.remove(people, 1, 1);
      expect(await tx.get(people, 1, 1)).toBeNull();
      await tx.put(people, { account_id: 1, id: 2, email: "a@b", rank: 1 });
    });
    expect(await store.find(people, "email", 1, ["a@b"])).toMatchObject({ id: 2 });
  });

  it("undoes what a transaction has written if it ends with an error, and nothing else", async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) =>
        store.transact(async (tx) => {
          const id = await store.nextId("person");
          await tx.insert(people, { account_id: 1, id, email: `${at}@b`, rank: at + 1 });
          await tx.insert(ticks, { account_id: 1, id });
          if (at % 3 === 0) throw new Failure("refused", "no");
          return id;
        }),
      ),
    );
    const made = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    expect(made).toHaveLength(26);
    expect((await entries()).filter(({ table }) => table === "person").map(({ key: [id] }) => id)).toEqual(
      made.toSorted((one, other) => one - other),
    );
    expect(await store.count(ticks, "id", 1, [])).toBe(26);
  });

  it("shows transactions of the same moment nothing that an undone one has written", async () => {
    await put({ id: 1, email: null, rank: 1 });
    const undone = store.transact(async (tx) => {
      for (const id of [1, 2]) await tx.put(people, { account_id: 1, id, email: null, rank: 9 });
      throw new Failure("refused", "no");
    });
    const read = store.transact(async (tx) => [await tx.get(people, 1, 1), await tx.get(people, 1, 2)]);
    await expect(undone).rejects.toThrow("no");
    expect(await read).toEqual([{ account_id: 1, id: 1, email: null, rank: 1 }, null]);
    await put({ id: 2, email: null, rank: 2 });
    expect(await store.get(people, 1, 2)).toMatchObject({ rank: 2 });
  });

  it("loses none of many simultaneous read-add-write cycles", async () => {
    await put({ id: 1, email: null, rank: 0 });
    await Promise.all(
      Array.from({ length: 64 }, (_, id) =>
        store.transact(async (tx) => {
          const person = (await tx.get(people, 1, 1))!;
          await tx.put(people, { ...person, rank: person.rank + 1 });
          await tx.insert(ticks, { account_id: 1, id });
        }),
      ),
    );
    expect(await store.get(people, 1, 1)).toMatchObject({ rank: 64 });
    expect(await store.count(ticks, "id", 1, [])).toBe(64);
  });

  it("lets nobody decide by a record that changes meanwhile", async () => {
    await put({ id: 1, email: null, rank: 1 });
    // Of many who write another record only while the first has room, as many come as it has.
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        store.transact(async (tx) => {
          const guard = (await tx.lock(people, 1, 1))!;
          if (guard.rank > 5) throw new Failure("refused", "full");
          await tx.put(people, { ...guard, rank: guard.rank + 1 });
          await tx.insert(people, { account_id: 1, id: 10 + at, email: null, rank: 0 });
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    expect(await store.count(people, "id", 1, [])).toBe(6);
  });

  it("gives many simultaneous callers ids that grow and never repeat", async () => {
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => store.nextId("person")));
    expect(new Set(ids).size).toBe(1_000);
    expect(Math.min(...ids)).toBe(1);
    expect(await store.nextId("other")).toBe(1);
  });

  it("never gives an id again that a transaction took which was undone", async () => {
    const given: number[] = [];
    const take = async () => void given.push(await store.nextId("person"));
    for (let round = 0; round < 600; round++) {
      const undone = store.transact(async () => {
        await take();
        throw new Failure("refused", "no");
      });
      await Promise.all([undone.catch(() => {}), take()]);
    }
    expect(new Set(given).size).toBe(1_200);
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
            await tx.insert(ticks, { account_id: account, id });
          });
        await Promise.all(transfers.map(work));
        const found = await store.page(people, "id", account, [], { limit: 9 });
        expect(found.reduce((sum, { rank }) => sum + rank, 0)).toBe(0);
        expect(await store.count(ticks, "id", account, [])).toBe(transfers.length);
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
      { numRuns: name === "memory" ? rounds(20, 60) : rounds(5, 20) },
    );
  });
});

function blank(accountId: number, id: number): Person {
  return { account_id: accountId, id, email: null, rank: 0 };
}

function expectedRank(transfers: { from: number; to: number; amount: number }[], id: number): number {
  return transfers
    .filter(({ from, to }) => from !== to)
    .reduce((sum, { from, to, amount }) => sum + (to === id ? amount : 0) - (from === id ? amount : 0), 0);
}
