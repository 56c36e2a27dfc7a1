import { describe, expect, it } from "vitest";
import { collection } from "../../server/storage/collection.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { decodeKey, fingerprint, prefixRange } from "../../server/storage/keys.ts";
import type { Store } from "../../server/storage/store.ts";
import { DRIVERS, useEmptyStore } from "../support/drivers.ts";

interface Visit {
  accountId: number;
  id: number;
  shop: string;
  ticket: string;
}

const definition = {
  id: ({ id }: Visit) => [id],
  claims: { ticket: ({ ticket }: Visit) => [ticket] },
  indexes: { shop: ({ shop }: Visit) => [shop], day: ({ id }: Visit) => [id % 7] },
  groups: { shop: "shop" },
};
const visits = collection<Visit>()({ name: "visit", ...definition, orderedClaims: ["ticket"] });
const orders = collection<Visit>()({ name: "order", ...definition });

describe.each(Object.keys(DRIVERS))("neighbours on %s", (name) => {
  let driver: AtomicDriver;
  let store: Store;
  useEmptyStore(name, (emptyDriver, emptyStore) => {
    driver = emptyDriver;
    store = emptyStore;
  });

  const put = (into: typeof visits | typeof orders, id: number, over: Partial<Visit> = {}) =>
    store.transact((tx) => tx.put(into, { accountId: 1, id, shop: "a", ticket: `t${id}`, ...over }));
  const listed = async (from: typeof visits | typeof orders, shop: string) => {
    const ids = (await store.page(from, "shop", 1, [shop], { limit: 99 })).map(({ id }) => id);
    expect(await store.count(from, "shop", 1, [shop])).toBe(ids.length);
    return ids;
  };
  const names = async (prefix: [number, ...(string | number)[]]) =>
    (await driver.list({ ...prefixRange(prefix), limit: 99 })).map(([key]) =>
      decodeKey(key).slice(prefix.length).join(" "),
    );

  it("are what different collections have of one group, and stay apart", async () => {
    for (const id of [1, 2, 3]) await put(visits, id, { shop: id === 2 ? "b" : "a" });
    for (const id of [8, 9]) await put(orders, id);
    expect(await names([1, "shop/", "a"])).toEqual([
      "order shop 8",
      "order shop 9",
      "visit shop 1",
      "visit shop 3",
    ]);
    expect([await listed(visits, "a"), await listed(visits, "b"), await listed(orders, "a")]).toEqual([
      [1, 3],
      [2],
      [8, 9],
    ]);
    await put(visits, 1, { shop: "b" });
    await store.transact((tx) => tx.remove(orders, 1, 8));
    expect([await listed(visits, "a"), await listed(visits, "b"), await listed(orders, "a")]).toEqual([
      [3],
      [1, 2],
      [9],
    ]);
    const days = await store.page(visits, "day", 1, [], { limit: 99 });
    expect(days.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it("are found by one value of their group, never by none", async () => {
    await put(visits, 1);
    await expect(store.page(visits, "shop", 1, [], { limit: 9 })).rejects.toThrow(RangeError);
  });

  it("are ordered claims, however long, and of whatever characters", async () => {
    const long = "9".repeat(65);
    const tickets = ["10", "9", "11", "a/b", "A?", "", long, `${long}0`, fingerprint([long])];
    for (const [id, ticket] of tickets.entries()) await put(visits, id, { ticket });
    for (const [id, ticket] of tickets.entries()) {
      expect(await store.find(visits, "ticket", 1, [ticket])).toMatchObject({ id, ticket });
      await expect(put(visits, 99, { ticket })).rejects.toMatchObject({ kind: "taken" });
    }
    const claimed = (await driver.list({ ...prefixRange([1, "visit.ticket"]), limit: 99 })).map(
      ([key]) => key,
    );
    const kept = claimed.filter((key) => key.endsWith("!")).map((key) => decodeKey(key)[2]);
    expect(kept).toEqual(["", "10", "11", "9", "A?", "a/b", fingerprint([long])]);
    expect(claimed).toHaveLength(tickets.length);
    await put(visits, 0, { ticket: "12" });
    expect(await store.find(visits, "ticket", 1, ["10"])).toBeNull();
  });
});
