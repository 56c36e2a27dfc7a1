import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Store } from "../../server/storage/store.ts";
import { integer, table, text, type RowOf } from "../../server/storage/table.ts";
import { rounds } from "../support/rounds.ts";
import { MAIN_KINDS, useEmptyStore } from "../support/stores.ts";

const fields = {
  id: integer(),
  shop: text(),
  cents: integer(),
};

type Sale = RowOf<typeof fields>;

const shops = { name: "shops", by: { shop: "text" }, sums: ["count", "cents"] } as const;
const sales = table("sale", fields, {
  indexes: { shop: { on: ["shop"] }, cents: { on: ["cents"] } },
  sums: { into: shops, sharesOf: ({ shop, cents }) => [{ key: [shop], amounts: [1, cents] }] },
});

describe.each(MAIN_KINDS)("lists on %s", (name) => {
  let store: Store;
  useEmptyStore(name, [sales], (_, emptyStore) => void (store = emptyStore));

  const put = (sale: Omit<Sale, "account_id">) =>
    store.transact((tx) => tx.put(sales, { account_id: 1, ...sale }));
  const sums = async () => {
    const rows = await store.rows(
      store
        .query<{ shops: { shop: string; count: number; cents: number } }>()
        .selectFrom("shops")
        .select(["shop", "count", "cents"]),
    );
    const some = rows.filter(({ count, cents }) => Number(count) !== 0 || Number(cents) !== 0);
    return Object.fromEntries(some.map(({ shop, count, cents }) => [shop, [Number(count), Number(cents)]]));
  };

  it.each([2 ** 31, 2 ** 32, 2 ** 32 + 1, 5e12, Number.MAX_SAFE_INTEGER])(
    "end before an offset of %i, in both directions",
    async (offset) => {
      for (const id of [1, 2, 3]) await put({ id, shop: "a", cents: id });
      for (const reverse of [false, true]) {
        expect(await store.page(sales, "id", 1, [], { limit: 10, offset, reverse })).toEqual([]);
        expect(await store.page(sales, "shop", 1, ["a"], { limit: 10, offset, reverse })).toEqual([]);
      }
    },
  );

  it("start at an offset, from either end, within a range", async () => {
    for (let id = 1; id <= 5; id++) await put({ id, shop: "a", cents: id });
    for (const before of [5, 6]) {
      const all = [1, 2, 3, 4, 5].filter((id) => id < before);
      for (const offset of [0, 1, 3, 9]) {
        const list = async (reverse: boolean) => {
          const page = { limit: 2, offset, reverse, between: { from: 1, before } };
          return (await store.page(sales, "cents", 1, [], page)).map(({ id }) => id);
        };
        expect(await list(false)).toEqual(all.slice(offset, offset + 2));
        expect(await list(true)).toEqual(all.toReversed().slice(offset, offset + 2));
      }
    }
  });

  it("have the same pages, whichever end a page is read from", async () => {
    for (let id = 1; id <= 7; id++) await put({ id, shop: "a", cents: id % 3 });
    const all = await store.page(sales, "cents", 1, [], { limit: 99 });
    for (const reverse of [false, true]) {
      const expected = reverse ? all.toReversed() : all;
      for (let offset = 0; offset < 9; offset++) {
        const page = { limit: 3, offset, reverse };
        expect(await store.page(sales, "cents", 1, [], page)).toEqual(expected.slice(offset, offset + 3));
      }
    }
  });

  it("are read completely in chunks", async () => {
    const ids = Array.from({ length: 2_500 }, (_, index) => index + 1);
    await store.transact(async (tx) => {
      for (const id of ids) await tx.insert(sales, { account_id: 1, id, shop: "a", cents: 1 });
    });
    for (const index of ["id", "shop"] as const) {
      const found: number[] = [];
      for await (const chunk of store.scan(sales, index, 1, [])) found.push(...chunk.map(({ id }) => id));
      expect(found).toEqual(ids);
    }
  });

  it("have pages far from the start, from either end", async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => index + 1);
    for (let done = 0; done < ids.length; done += 5_000) {
      await store.transact(async (tx) => {
        for (const id of ids.slice(done, done + 5_000))
          await tx.insert(sales, { account_id: 1, id, shop: "a", cents: 1 });
      });
    }
    for (const offset of [3_999, 4_000, 4_001, 8_000, 9_999, 10_000, 40_000]) {
      for (const reverse of [false, true]) {
        const page = await store.page(sales, "id", 1, [], { limit: 2, offset, reverse });
        const expected = (reverse ? ids.toReversed() : ids).slice(offset, offset + 2);
        expect(page.map(({ id }) => id)).toEqual(expected);
      }
    }
  });

  it("have sums that equal those of all records, whatever is put and removed", async () => {
    const change = fc.record({
      id: fc.integer({ min: 1, max: 4 }),
      shop: fc.constantFrom("a", "b/c", "é"),
      cents: fc.integer({ min: -5, max: 5 }),
      isRemoval: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
        const model = new Map<number, Sale>();
        for (const { isRemoval, ...sale } of changes) {
          if (isRemoval) model.delete(sale.id);
          else model.set(sale.id, { account_id: 1, ...sale });
          await (isRemoval ? store.transact((tx) => tx.remove(sales, 1, sale.id)) : put(sale));
        }
        const expected: Record<string, [count: number, cents: number]> = {};
        for (const { shop, cents } of model.values()) {
          const [count, sum] = expected[shop] ?? [0, 0];
          expected[shop] = [count + 1, sum + cents];
        }
        expect(await sums()).toEqual(expected);
        for (const id of model.keys()) await store.transact((tx) => tx.remove(sales, 1, id));
        expect(await sums()).toEqual({});
      }),
      { numRuns: rounds(6, 40) },
    );
  });
});
