import { createStorage, prefixStorage, type Storage } from "unstorage";
import { beforeEach, describe, expect, it } from "vitest";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { ENGINES, useEmptyStore } from "../support/drivers.ts";

/** Strangers use our drivers through unstorage, so this suite uses nothing but unstorage's interface. */
describe.each(ENGINES)("the %s driver under unstorage", (name) => {
  let driver: AtomicDriver;
  let storage: Storage;
  useEmptyStore(name, (emptyDriver) => {
    driver = emptyDriver;
  });
  beforeEach(() => {
    storage = createStorage({ driver });
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

  it.each([
    ["x", 1_978],
    ["é", 989],
  ])("accepts the longest key in %s and refuses a longer one", async (letter, count) => {
    const longest = letter.repeat(count);
    await storage.setItem(longest, 1);
    await expect(storage.setItem(`${longest}x`, 2)).rejects.toThrow(RangeError);
    expect(await keys()).toEqual([longest]);
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
    expect(await driver.count({ from: " ", before: "~" })).toBe(0);
  });

  it("can be mounted under a prefix and cleared there", async () => {
    const outer = createStorage();
    outer.mount("kept", driver);
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

  it("can be disposed of by each storage that it is mounted in", async () => {
    await storage.setItem("a", 1);
    const outer = createStorage({ driver });
    outer.mount("again", driver);
    await outer.dispose();
    await storage.dispose();
  });
});
