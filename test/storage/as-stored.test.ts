import { beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../server/storage/session.ts";
import type { Store } from "../../server/storage/store.ts";
import {
  flag,
  integer,
  json,
  table,
  text,
  time,
  type RowOf,
  type Table,
} from "../../server/storage/table.ts";
import { recordsIn } from "../../server/transfer/stored-items.ts";
import { KINDS, useEmptyStore } from "../support/stores.ts";

/** What the store has, and what the next release declares: it drops four columns, adds two, and seals one. */
const todayFields = {
  id: integer(),
  name: text(),
  city: text().nullable(),
  pets: json<string[]>(),
  age: integer().nullable(),
  born_at: time().nullable(),
  is_member: flag(),
};
const today = table("person", todayFields);
const next = table(
  "person",
  { id: integer(), name: text().sealed(), nickname: text().nullable(), pets: json<string[]>() },
  { sealed: { isSecret: () => true, without: (person) => person } },
);

const people: RowOf<typeof todayFields>[] = [
  {
    account_id: 1,
    id: 1,
    name: "Jane",
    city: "Oslo",
    pets: ["Rex"],
    age: 7,
    born_at: "2019-03-04T05:06:07.890Z",
    is_member: true,
  },
  { account_id: 1, id: 2, name: "Bob", city: null, pets: [], age: null, born_at: null, is_member: false },
];

describe.each(KINDS)("records of a store of another layout on %s", (kind) => {
  let engine: Engine;
  let store: Store;
  useEmptyStore(kind, [today] as unknown as Table<never>[], (emptyEngine, empty) => {
    [engine, store] = [emptyEngine, empty];
  });
  beforeEach(() =>
    store.transact(async (tx) => {
      for (const person of people) await tx.put(today, person);
    }),
  );

  it.each([
    ["this", today],
    ["the next", next],
  ])("have all that the store has, read by %s release", async (_, release) => {
    const records: unknown[] = [];
    for await (const items of recordsIn(engine.reads, release as never))
      records.push(...items.map((item) => JSON.parse(item.text)));
    expect(records).toEqual(people);
  });
});
