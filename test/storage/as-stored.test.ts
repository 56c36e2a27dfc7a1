import { beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import { integer, json, table, text, time, type Table } from "../../server/storage/table.ts";
import { recordsIn } from "../../server/transfer/stored-items.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

const BORN_AT = "2019-03-04T05:06:07.890Z";

/** What the store has, and what the next release declares: it drops three columns, adds two, and seals one. */
const today = table("person", {
  id: integer(),
  name: text(),
  city: text().nullable(),
  pets: json<string[]>(),
  age: integer().nullable(),
  born_at: time().nullable(),
});
const next = table(
  "person",
  { id: integer(), name: text().sealed(), nickname: text().nullable(), pets: json<string[]>() },
  { sealed: { isSecret: () => true, without: (person) => person } },
);

describe.each(KINDS)("records of a store of another layout on %s", (kind) => {
  let engine: Engine;
  let store: Store;
  useEmptyStore(kind, [today] as unknown as Table<never>[], (emptyEngine, empty) => {
    [engine, store] = [emptyEngine, empty];
  });
  beforeEach(() =>
    store.transact(async (tx) => {
      await tx.put(today, {
        account_id: 1,
        id: 1,
        name: "Jane",
        city: "Oslo",
        pets: ["Rex"],
        age: 7,
        born_at: BORN_AT,
      });
      await tx.put(today, {
        account_id: 1,
        id: 2,
        name: "Bob",
        city: null,
        pets: [],
        age: null,
        born_at: null,
      });
    }),
  );

  it.each([
    ["this", today],
    ["the next", next],
  ])("have all that the store has, read by %s release", async (_, release) => {
    const records: unknown[] = [];
    for await (const items of recordsIn(engine.reads, release as never))
      records.push(...items.map((item) => JSON.parse(item.text)));
    expect(records).toEqual([
      { account_id: 1, id: 1, name: "Jane", city: "Oslo", pets: ["Rex"], age: 7, born_at: BORN_AT },
      { account_id: 1, id: 2, name: "Bob", city: null, pets: [], age: null, born_at: null },
    ]);
  });
});
