import { createStorage, prefixStorage, type Storage } from "unstorage";
import { beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import { integer, table, text } from "../../server/storage/table.ts";
import { itemDriver, unstorageOf } from "../../server/storage/unstorage.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

const personFields = {
  id: integer(),
  email: text().nullable(),
  city: text(),
};

const people = table("person", personFields, {
  derived: {
    email_key: ["text", ({ email }) => email?.toLowerCase()],
  },
  unique: { email: ["email_key"] },
  indexes: { city: { on: ["city"] } },
});

const wordFields = {
  city: text(),
  text: text(),
};

const words = table("word", wordFields, {
  key: ["city", "text"],
});

/** Strangers use our store through unstorage, so this suite uses nothing but unstorage's interface. */
describe.each(KINDS)("a store on %s under unstorage", (name) => {
  let engine: Engine;
  let store: Store;
  let storage: Storage;
  useEmptyStore(name, [people, words], (emptyEngine, emptyStore) => {
    engine = emptyEngine;
    store = emptyStore;
  });
  beforeEach(() => {
    storage = createStorage({ driver: itemDriver(engine) });
  });

  const keys = async (base?: string) => (await storage.getKeys(base)).toSorted();

  it("is empty at first", async () => {
    expect(await storage.hasItem("a")).toBe(false);
    expect(await storage.getItem("a")).toBeNull();
    expect(await storage.getItemRaw("a")).toBeNull();
    expect(await storage.getMeta("a")).toEqual({});
    expect(await keys()).toEqual([]);
    await storage.removeItem("a");
    await storage.clear();
  });

  it.each([
    ["a text", "some text"],
    ["an empty text", ""],
    ["text beyond ASCII", "é🜁\u2028\n"],
    ["a number", 4.5],
    ["zero", 0],
    ["true", true],
    ["false", false],
    ["an object", { list: [1, "2", null], inner: { name: "x" } }],
    ["a list", [1, 2]],
  ])("keeps %s", async (_, value) => {
    await storage.setItem("a", value);
    expect(await storage.getItem("a")).toEqual(value);
    expect(await storage.hasItem("a")).toBe(true);
  });

  it("keeps bytes unchanged", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    await storage.setItemRaw("a.bin", bytes);
    expect(new Uint8Array((await storage.getItemRaw("a.bin")) as Uint8Array)).toEqual(bytes);
    await storage.setItemRaw("a.txt", "raw text");
    expect(await storage.getItemRaw("a.txt")).toBe("raw text");
  });

  it("keeps the last of several values", async () => {
    await storage.setItem("a", 1);
    await storage.setItem("a", 2);
    expect(await storage.getItem("a")).toBe(2);
    await storage.setItem("a", undefined as unknown as null);
    expect(await storage.hasItem("a")).toBe(false);
  });

  it("treats every spelling of a key as the same key", async () => {
    await storage.setItem("/mail/a.txt?v=1", "x");
    for (const key of ["mail:a.txt", "mail/a.txt", "mail\\a.txt?v=2", ":mail::a.txt"]) {
      expect(await storage.getItem(key)).toBe("x");
    }
    expect(await keys()).toEqual(["mail:a.txt"]);
    await expect(storage.setItem("mail/../a", "x")).rejects.toThrow("Invalid key");
  });

  it("keeps keys with punctuation, and keys beyond ASCII", async () => {
    const odd = ["a b", "a%2Fb", "a'b", "a_b", "A_B", "é", "名前", "🜁"];
    await Promise.all(odd.map((key) => storage.setItem(key, `of ${key}`)));
    expect(await keys()).toEqual(odd.toSorted());
    expect(await Promise.all(odd.map((key) => storage.getItem(key)))).toEqual(odd.map((key) => `of ${key}`));
  });

  it("lists the keys under a base, to a depth", async () => {
    for (const key of ["a", "s1:a", "s1:b:c", "s10:a"]) await storage.setItem(key, "x");
    expect(await keys()).toEqual(["a", "s10:a", "s1:a", "s1:b:c"]);
    expect(await keys("s1")).toEqual(["s1:a", "s1:b:c"]);
    expect(await storage.getKeys("s1", { maxDepth: 1 })).toEqual(["s1:a"]);
    expect(await storage.getKeys("none")).toEqual([]);
  });

  it("sets and gets several items at once", async () => {
    await storage.setItems([
      { key: "a", value: 1 },
      { key: "b:c", value: 2 },
    ]);
    expect(await storage.getItems(["b:c", "none", "a"])).toEqual([
      { key: "b:c", value: 2 },
      { key: "none", value: null },
      { key: "a", value: 1 },
    ]);
  });

  it("keeps the metadata of an item", async () => {
    await storage.setItem("a", 1);
    await storage.setMeta("a", { mtime: new Date(0), owner: "me" });
    expect(await storage.getMeta("a")).toEqual({ mtime: new Date(0), owner: "me" });
    expect(await keys()).toEqual(["a"]);
    await storage.removeItem("a", { removeMeta: true });
    expect(await storage.getMeta("a")).toEqual({});
  });

  it("removes one item, and clears all items", async () => {
    for (let at = 0; at < 100; at++) await storage.setItem(`k:${at}`, at);
    await storage.removeItem("k:7");
    expect(await storage.getItem("k:7")).toBeNull();
    expect(await keys()).toHaveLength(99);
    await storage.clear();
    expect(await keys()).toEqual([]);
  });

  it("can be mounted under a prefix and cleared there", async () => {
    const outer = createStorage();
    outer.mount("kept", itemDriver(engine));
    await outer.setItem("a", "outside");
    await outer.setItem("kept:a", "inside");
    expect(await storage.getItem("a")).toBe("inside");
    expect((await outer.getKeys()).toSorted()).toEqual(["a", "kept:a"]);
    expect(await prefixStorage(outer, "kept").getItem("a")).toBe("inside");
    await outer.clear("kept");
    expect(await outer.getKeys()).toEqual(["a"]);
  });

  it("notifies watchers of writes through the same storage", async () => {
    const told: string[] = [];
    const unwatch = await storage.watch((event, key) => void told.push(`${event} ${key}`));
    await storage.setItem("a/b", 1);
    await storage.removeItem("a/b");
    await unwatch();
    await storage.setItem("a/b", 2);
    expect(told).toEqual(["update a:b", "remove a:b"]);
  });

  it("keeps the columns and unique values of a table right when a record is set or removed", async () => {
    const all = unstorageOf(engine, [people, words]);
    await all.setItem("persons:1:7", { account_id: 1, id: 7, email: "Jane@b", city: "Rome" });
    expect(await store.find(people, "email", 1, ["jane@b"])).toMatchObject({ id: 7 });
    await all.setItem("persons:1:7", { account_id: 1, id: 7, email: "ann@b", city: "Bonn" });
    expect(await store.find(people, "email", 1, ["jane@b"])).toBeNull();
    expect(await store.page(people, "city", 1, ["Bonn"], { limit: 2 })).toMatchObject([{ id: 7 }]);
    await expect(
      all.setItem("persons:1:8", { account_id: 1, id: 8, email: "ANN@b", city: "Bonn" }),
    ).rejects.toMatchObject({ kind: "taken" });
    await expect(
      all.setItem("persons:1:8", { account_id: 1, id: 9, email: null, city: "Bonn" }),
    ).rejects.toThrow("The record belongs under 1:9, not under 1:8");
    expect(await all.getItem("persons:1:7")).toEqual({ account_id: 1, id: 7, email: "ann@b", city: "Bonn" });
    expect(await all.getKeys()).toEqual(["persons:1:7"]);
    await all.removeItem("persons:1:7");
    expect(await store.count(people, "city", 1, [])).toBe(0);
  });

  it("finds records by keys of texts", async () => {
    const all = unstorageOf(engine, [people, words]);
    for (const [city, text] of [
      ["a/b", "c:d"],
      ["..", "?x=1"],
      ["é", "1"],
    ] as const) {
      await store.transact((tx) => tx.insert(words, { account_id: 2, city, text }));
    }
    const found = (await all.getKeys("words")).toSorted();
    expect(found).toEqual(["words:2:%2E%2E:%3Fx%3D1", "words:2:%C3%A9:1", "words:2:a%2Fb:c%3Ad"]);
    expect(await all.getItem("words:2:a%2Fb:c%3Ad")).toMatchObject({ city: "a/b" });
    await all.clear("words");
    expect(await store.count(words, "id", 2, [])).toBe(0);
  });

  it("neither shows nor loses the store's own mark", async () => {
    await storage.setItem("a", 1);
    await storage.clear();
    expect(await keys()).toEqual([]);
    expect(await store.whyUnready()).toBe(null);
    const [mark] = await engine.reads.all({ text: "select key from items", values: [] });
    await expect(async () => storage.setItem(String(mark), "x")).rejects.toThrow(
      "belongs to the store itself",
    );
  });
});
