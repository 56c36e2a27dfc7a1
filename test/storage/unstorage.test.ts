import { createStorage, type Storage } from "unstorage";
import { beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../server/domain/access/account-creation.ts";
import { seed } from "../../server/domain/seed/seed.ts";
import type { Engine } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import { flag, integer, json, table, text, time } from "../../server/storage/table.ts";
import { tableDriver } from "../../server/storage/unstorage.ts";
import { TABLES } from "../../server/tables.ts";
import { NOW, countedChance } from "../support/app.ts";
import { contentsOf } from "../support/contents.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

const personFields = {
  id: integer(),
  email: text().nullable(),
  city: text(),
  is_guest: flag(),
  born_at: time().optional(),
  left_at: time().nullable(),
  tags: json<string[]>(),
  job: json<{ since: string }>().optional(),
};

const people = table("person", personFields, {
  derived: {
    email_key: ["text", ({ email }) => email?.toLowerCase()],
    tag_words: ["text", ({ tags }) => tags.join(" ")],
    job_since: ["time", ({ job }) => job?.since],
    is_left: ["flag", ({ left_at }) => left_at !== null],
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

const jane = {
  account_id: 1,
  id: 7,
  email: "Jane@b",
  city: "Rome",
  is_guest: false,
  left_at: null,
  tags: ["a"],
};
const ann = { ...jane, id: 8, email: "ann@b" };

/** Strangers use our store through unstorage, so this suite uses little but unstorage's interface. */
describe.each(KINDS)("the tables of a store on %s under unstorage", (name) => {
  let engine: Engine;
  let store: Store;
  let storage: Storage;
  useEmptyStore(name, [people, words], (emptyEngine, emptyStore) => {
    engine = emptyEngine;
    store = emptyStore;
  });
  beforeEach(async () => {
    storage = createStorage({ driver: tableDriver(store, [people, words]) });
    await store.transact(async (tx) => {
      await tx.insert(people, jane);
      await tx.insert(people, ann);
    });
  });

  it("read records, which the reader may change", async () => {
    expect(await storage.getItem("persons:1:7")).toEqual(jane);
    const copy = (await storage.getItem<typeof jane>("persons:1:7"))!;
    copy.tags.push("b");
    expect(await storage.getItem("persons:1:7")).toEqual(jane);
    expect(await storage.hasItem("persons:1:8")).toBe(true);
    expect(await storage.getItems(["persons:1:8", "persons:1:9"])).toEqual([
      { key: "persons:1:8", value: ann },
      { key: "persons:1:9", value: null },
    ]);
  });

  it.each([
    "persons:1:9",
    "persons:2:7",
    "persons:1",
    "persons:1:7:8",
    "persons:1:x",
    "persons:x:7",
    "others:1:7",
  ])("have nothing under %s", async (key) => {
    expect(await storage.getItem(key)).toBeNull();
    expect(await storage.hasItem(key)).toBe(false);
    expect(await storage.getMeta(key)).toEqual({});
    await storage.removeItem(key);
  });

  it("list keys of all, of a table, and of an account", async () => {
    await store.transact((tx) => tx.insert(people, { ...jane, account_id: 11 }));
    await store.transact((tx) => tx.insert(words, { account_id: 2, city: "x", text: "y" }));
    const keys = async (base?: string) => (await storage.getKeys(base)).toSorted();
    const ofPeople = ["persons:11:7", "persons:1:7", "persons:1:8"];
    expect(await keys()).toEqual([...ofPeople, "words:2:x:y"]);
    expect(await keys("persons")).toEqual(ofPeople);
    expect(await keys("persons:1")).toEqual(["persons:1:7", "persons:1:8"]);
    expect(await keys("others")).toEqual([]);
    expect(await keys("persons:x")).toEqual([]);
  });

  it("keep derived columns and unique values right when a record is written or removed", async () => {
    await storage.setItem("persons:1:7", { ...jane, email: "joan@b", city: "Bonn" });
    expect(await store.find(people, "email", 1, ["jane@b"])).toBeNull();
    expect(await store.find(people, "email", 1, ["joan@b"])).toMatchObject({ id: 7 });
    expect(await store.page(people, "city", 1, ["Bonn"], { limit: 2 })).toMatchObject([{ id: 7 }]);
    await expect(storage.setItem("persons:1:8", { ...ann, email: "JOAN@b" })).rejects.toMatchObject({
      kind: "taken",
      message: "email has already been taken",
    });
    await storage.removeItem("persons:1:7");
    expect(await store.count(people, "city", 1, [])).toBe(1);
  });

  it("are derived the same from a record without its null fields", async () => {
    const { left_at: _, ...short } = jane;
    await storage.setItem("persons:1:7", { ...short, born_at: null });
    expect(await storage.getItem("persons:1:7")).toEqual(jane);
    const text = "select is_left from persons where id = 7";
    expect(await engine.reads.all({ text, values: [] })).toEqual([[0]]);
  });

  const misfit = "The record does not fit persons:";
  it.each([
    ["an unknown field", { ...jane, nick: "J" }, `${misfit} nick is not a field`],
    ["a wrong type", { ...jane, city: 5 }, `${misfit} city must be a text`],
    [
      "a wrong flag and time",
      { ...jane, is_guest: 1, born_at: 7 },
      `${misfit} is_guest must be true or false, born_at must be an instant such as 2026-03-04T05:06:07.890Z or null`,
    ],
    ["a time in words", { ...jane, born_at: "yesterday" }, `${misfit} born_at must be an instant such as`],
    ["a missing field", { ...jane, tags: undefined }, `${misfit} tags must be an object or a list`],
    [
      "a wrong document",
      { ...jane, tags: {} },
      "A document in persons:1:7 does not have the form that the server expects",
    ],
    [
      "a document with a wrong time",
      { ...jane, job: { since: "junk" } },
      "A document in persons:1:7 does not have the form that the server expects",
    ],
    ["another key", { ...jane, id: 8 }, "The record belongs under persons:1:8, not under persons:1:7"],
    [
      "another account",
      { ...jane, account_id: 2 },
      "The record belongs under persons:2:7, not under persons:1:7",
    ],
    [
      "a number that sums could not hold",
      { ...jane, account_id: 1e12 },
      `${misfit} account_id must be a whole number of at most 12 digits`,
    ],
    ["no account", { ...jane, account_id: null }, `${misfit} account_id must be a whole number`],
    ["a text", "Jane", "A record of persons must be an object with its fields"],
    ["a list", [jane], "A record of persons must be an object with its fields"],
  ])("refuse %s in a sentence", async (_, value, sentence) => {
    await expect(storage.setItem("persons:1:7", value)).rejects.toThrow(sentence);
    expect(await storage.getItem("persons:1:7")).toEqual(jane);
  });

  it("refuse what is no table, ids that the server did not give, metadata, bytes, and clearing", async () => {
    const notFound = "persons:1:9 was not found: new persons get their ids from the server";
    await expect(storage.setItem("persons:1:9", { ...jane, id: 9, email: null })).rejects.toThrow(notFound);
    await expect(storage.setItem("person:1:7", jane)).rejects.toThrow("person:1:7 is not TABLE:ACCOUNT:KEY");
    await expect(storage.setMeta("persons:1:7", { owner: "me" })).rejects.toThrow("is not TABLE:ACCOUNT:KEY");
    await expect(storage.setItemRaw("persons:1:7", new Uint8Array(3))).rejects.toThrow("must be an object");
    await expect(async () => storage.clear()).rejects.toThrow("Whole tables can't be cleared");
    expect(await storage.getKeys()).toHaveLength(2);
  });

  it("make and find records by keys of texts", async () => {
    for (const [city, text, key] of [
      ["a/b", "c:d", "words:2:a%2Fb:c%3Ad"],
      ["..", "?x=1", "words:2:%2E%2E:%3Fx%3D1"],
      ["é", "1", "words:2:%C3%A9:1"],
    ] as const) {
      await storage.setItem(key, { account_id: 2, city, text });
      expect(await storage.getItem(key)).toEqual({ account_id: 2, city, text });
      expect(await storage.getKeys("words:2")).toContain(key);
    }
  });

  it("are mounted below a prefix in another storage, such as Nitro's", async () => {
    const outer = createStorage();
    outer.mount("store", storage.getMount().driver);
    expect(await outer.getItem("store:persons:1:7")).toEqual(jane);
    expect(await outer.getKeys("store:persons")).toEqual(["store:persons:1:7", "store:persons:1:8"]);
    await expect(async () => outer.clear("store")).rejects.toThrow("Whole tables can't be cleared");
  });

  it("close the store when they are disposed of", async () => {
    let closed = 0;
    const close = async () => void closed++;
    await createStorage({ driver: tableDriver({ ...store, close }, [people]) }).dispose();
    expect(closed).toBe(1);
    expect(await engine.isShared()).toBe(false);
  });
});

describe.each(KINDS)("every record of a program on %s", (name) => {
  let engine: Engine;
  let store: Store;
  useEmptyStore(name, TABLES, (emptyEngine, emptyStore) => {
    engine = emptyEngine;
    store = emptyStore;
  });

  it("is the same after it was read and written", async () => {
    const context = { store, now: new Date(NOW), chance: countedChance() };
    const { account } = await createAccount(context, { name: "Acme", landing_url: "https://a.example/" });
    await seed(context, account, { promoters: 5, leads: 20, sales: 20 });
    const storage = createStorage({ driver: tableDriver(store, TABLES) });
    const before = await contentsOf(engine);
    const keys = await storage.getKeys();
    expect(keys.length).toBeGreaterThan(100);
    for (const key of keys) await storage.setItem(key, await storage.getItem(key));
    expect(await contentsOf(engine)).toEqual(before);
  });
});
