import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { allOf, type Schema } from "../../server/storage/query.ts";
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

const fields = {
  id: integer(),
  name: text(),
  note: text().nullable(),
  is_open: flag(),
  is_late: flag().nullable(),
  is_rare: flag().optional(),
  at: time(),
  ended_at: time().nullable(),
  seen_at: time().optional(),
  parts: json<unknown>(),
  more: json<unknown>().nullable(),
  rest: json<unknown>().optional(),
};
type Job = RowOf<typeof fields>;

const jobs = table("job", fields, {
  derived: {
    has_parts: ["flag", ({ parts }) => parts !== null],
    last_at: ["time", ({ ended_at, at }) => ended_at ?? at],
  },
  unique: { moment: ["at", "is_open"] },
  indexes: {
    at: { on: ["at"] },
    open: { on: ["is_open", "at"], where: "is_open" },
    done: { on: ["last_at"], where: "not is_open" },
  },
});

const TYPES = {
  sqlite: { text: "TEXT", integer: "INTEGER", flag: "boolean integer", time: "TEXT", json: "json text" },
  postgres: {
    text: "text",
    integer: "bigint",
    flag: "boolean",
    time: "timestamp with time zone",
    json: "jsonb",
  },
};

const JOB: Job = {
  account_id: 1,
  id: 1,
  name: "true",
  note: null,
  is_open: true,
  is_late: null,
  at: "2026-03-04T05:06:07.890Z",
  ended_at: null,
  parts: { b: 1, aa: [{ y: null, x: 1.5 }], "": "é" },
  more: null,
};
const FULL: Job = {
  ...JOB,
  id: 2,
  note: "",
  is_open: false,
  is_late: true,
  is_rare: false,
  at: "2026-03-04T05:06:07.800Z",
  ended_at: "0001-01-01T00:00:00.000Z",
  seen_at: "9999-12-31T23:59:59.999Z",
  parts: [],
  more: { 2: 1e300, 1: -0.1, ["__proto__"]: 1 },
  rest: {},
};

describe.each(KINDS)("columns on %s", (kind) => {
  let engine: Engine;
  let store: Store;
  useEmptyStore(kind, [jobs] as unknown as Table<never>[], (emptyEngine, empty) => {
    [engine, store] = [emptyEngine, empty];
  });
  beforeEach(() =>
    store.transact(async (tx) => {
      await tx.insert(jobs, JOB);
      await tx.insert(jobs, FULL);
    }),
  );

  it("have the engine's type for what they hold", async () => {
    const types = TYPES[kind.includes("postgres") ? "postgres" : "sqlite"];
    const rows = await engine.reads.all({ text: engine.dialect.columnsOf, values: ["jobs"] });
    const said = new Map(rows.map(([name, type]) => [name, String(type)]));
    for (const [name, type] of Object.entries<keyof typeof types>(jobs.columns))
      expect([name, said.get(name)!.toLowerCase()]).toEqual([name, types[type].toLowerCase()]);
  });

  it("give back what was written, by key, unique value, list and range", async () => {
    expect(await store.get(jobs, 1, 1)).toEqual(JOB);
    expect(await store.get(jobs, 1, 2)).toEqual(FULL);
    expect(await store.find(jobs, "moment", 1, [JOB.at, 1])).toEqual(JOB);
    expect(await store.find(jobs, "moment", 1, [JOB.at, 0])).toBeNull();
    expect(await store.page(jobs, "at", 1, [], { limit: 9 })).toEqual([FULL, JOB]);
    expect(await store.page(jobs, "open", 1, [1], { limit: 9 })).toEqual([JOB]);
    expect(await store.page(jobs, "done", 1, [FULL.ended_at!], { limit: 9 })).toEqual([FULL]);
    const between = { from: FULL.at, before: JOB.at };
    expect(await store.page(jobs, "at", 1, [], { limit: 9, between })).toEqual([FULL]);
    expect(await store.count(jobs, "at", 1, [], { from: "-infinity", before: "infinity" })).toBe(2);
  });

  it("give back what was changed, and refuse a moment that another record has", async () => {
    const changed = { ...FULL, is_open: true, is_late: false, ended_at: null, more: ["1"], rest: { a: {} } };
    await store.transact(async (tx) => {
      await tx.put(jobs, changed);
      expect(await tx.find(jobs, "moment", 1, [FULL.at, 1])).toEqual(changed);
    });
    expect(await store.get(jobs, 1, 2)).toEqual(changed);
    const again = store.transact((tx) => tx.put(jobs, { ...changed, at: JOB.at }));
    await expect(again).rejects.toMatchObject({ kind: "taken" });
  });

  it("have the same values in the rows of queries", async () => {
    const query = store
      .query<Schema<{ jobs: typeof jobs }>>()
      .selectFrom("jobs")
      .where("account_id", "=", 1)
      .orderBy("at");
    expect(
      await store.rows(
        query.select(["id", "is_open", "is_late", "is_rare", "at", "ended_at", "has_parts", "last_at"]),
      ),
    ).toEqual([
      {
        id: 2,
        is_open: 0,
        is_late: 1,
        is_rare: 0,
        at: FULL.at,
        ended_at: FULL.ended_at,
        has_parts: 1,
        last_at: FULL.ended_at,
      },
      {
        id: 1,
        is_open: 1,
        is_late: null,
        is_rare: null,
        at: JOB.at,
        ended_at: null,
        has_parts: 1,
        last_at: JOB.at,
      },
    ]);
    const [sums] = await store.rows(
      query
        .clearOrderBy()
        .where("at", ">=", FULL.at)
        .where(sql<boolean>`(is_open or not is_open)`)
        .select([
          sql<string>`max(at)`.as("last"),
          sql<number>`sum(case when is_open then 1 else 0 end)`.as("open"),
        ]),
    );
    expect({ ...sums!, open: Number(sums!.open) }).toEqual({ last: JOB.at, open: 1 });
    const [row] = await store.rows(query.where("is_open", "=", 1).select(allOf(jobs)));
    expect(store.record(jobs, row!)).toEqual(JOB);
  });

  it("are listed whole, in chunks that end between two instants", async () => {
    const start = Date.parse("2026-05-01T00:00:00.000Z");
    const at = (number: number) => new Date(start + number).toISOString();
    await store.transact(async (tx) => {
      for (let number = 0; number < 2_100; number++)
        await tx.insert(jobs, { ...JOB, id: 10 + number, at: at(number) });
    });
    const found: string[] = [];
    const between = { from: at(0), before: "infinity" };
    for await (const chunk of store.scan(jobs, "open", 1, [1], between))
      found.push(...chunk.map((job) => job.at));
    expect(found).toEqual(Array.from({ length: 2_100 }, (_, number) => at(number)));
  });

  it("keep the first and the last instant", async () => {
    const ends = { at: "0001-01-01T00:00:00.000Z", ended_at: "9999-12-31T23:59:59.999Z" };
    await store.transact((tx) => tx.put(jobs, { ...JOB, ...ends }));
    expect(await store.get(jobs, 1, 1)).toMatchObject(ends);
  });

  it("keep names and texts of documents that one engine can't hold", async () => {
    const parts = { "nul\0": { "half\ud800": ["\0", "\udc00x"] } };
    await store.transact((tx) => tx.put(jobs, { ...JOB, parts }));
    expect((await store.get(jobs, 1, 1))!.parts).toEqual({
      "nul\ufffd": { "half\ufffd": ["\ufffd", "\ufffdx"] },
    });
  });

  it("leave in the same order of names, but with lists as they are", async () => {
    const parts = { bb: 1, a: [{ d: 1, c: 2 }, 3, 1] };
    await store.transact((tx) => tx.put(jobs, { ...JOB, parts }));
    const texts: string[] = [];
    for await (const items of recordsIn(engine.reads, jobs as never))
      texts.push(...items.map((item) => item.text));
    expect(texts[0]).toContain('"parts":{"a":[{"c":2,"d":1},3,1],"bb":1}');
  });
});
