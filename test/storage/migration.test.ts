import { beforeEach, describe, expect, it } from "vitest";
import { leads, type Lead } from "../../server/domain/people/lead/lead.ts";
import { LAYOUT, readMark } from "../../server/storage/layout.ts";
import type { Engine } from "../../server/storage/session.ts";
import { rowOf } from "../../server/storage/sealed.ts";
import { ddl, SQLITE } from "../../server/storage/sql.ts";
import { table, type Table } from "../../server/storage/table.ts";
import { TABLES, type AnyTable } from "../../server/tables.ts";
import { importFile } from "../../server/transfer/import.ts";
import type { Item } from "../../server/transfer/item.ts";
import { insertItems, recordsIn, rowsIn } from "../../server/transfer/stored-items.ts";
import { migrate, remade } from "../../server/transfer/upgrade/migrations.ts";
import { work } from "../../server/transfer/work.ts";
import { EXPORT_12 } from "../support/fixture.ts";
import { dyingAt } from "../support/mortal-engine.ts";
import { MAIN_KINDS, useEmptyDatabase } from "../support/stores.ts";
import { TEST_SEAL } from "../support/memory-engine.ts";

/** A made-up layout: leads have more columns, indexes and fields, one column and index less, and another index. */
const { username: _column, ...columns } = leads.columns;
const { username: _index, ...indexes } = leads.indexes;
const laterLeads = table<Lead & { moves: number }>()({
  name: "lead",
  columns: { ...columns, first_name: "text", moves: "integer" },
  unique: { number: ["id", "moves"] },
  indexes: {
    ...(indexes as object),
    promoter: { on: ["promoter_id", "first_name"] },
    firstName: { on: ["first_name"] },
  },
});
const later = laterLeads as unknown as AnyTable;
const moved = (lead: Lead & { moves?: number }) => ({ ...lead, moves: (lead.moves ?? 0) + 1 });
const migrations = [
  { layout: LAYOUT, remade: [remade(leads, () => expect.fail("The store has this layout already"))] },
  { layout: LAYOUT + 1, remade: [remade(laterLeads, moved)] },
];
const BEGUN = { work: "upgrade", stage: "fill", source: null, layout: LAYOUT, filledCount: 0 } as const;
/** A commit has a thousand of them. */
const LEADS = 2_500;

describe.each(MAIN_KINDS)("in %s", (kind) => {
  let engine: Engine;
  useEmptyDatabase(kind, TABLES as unknown as Table<never>[], async (empty) => {
    engine = empty;
    await importFile(engine, { file: EXPORT_12, onProgress: () => {}, resumes: false, isForced: false });
    const [first] = await leadsIn();
    const more = Array.from({ length: LEADS }, (_, at): Item => {
      const lead = {
        ...(JSON.parse(first!) as Lead),
        id: 1_000_000 + at,
        email: `${at}@example.com`,
        uid: `u-${at}`,
      };
      return { collection: "lead", text: JSON.stringify(lead) };
    });
    await engine.transact((session) => insertItems(session, more, TEST_SEAL));
  });

  let before: Lead[];
  beforeEach(async () => {
    before = (await leadsIn()).map((text) => JSON.parse(text) as Lead);
  });

  async function leadsIn(): Promise<string[]> {
    const found: string[] = [];
    for await (const items of recordsIn(engine.reads, leads as unknown as AnyTable))
      found.push(...items.map(({ text }) => text));
    return found;
  }

  /** Migrates in a new process. */
  async function run(on: Engine): Promise<void> {
    const begun = (await readMark(on.reads)).mark?.underWay ?? BEGUN;
    await work(on, begun, { fill: (work) => migrate(work, { migrations, onRows: () => {} }) });
  }

  async function expectMigrated(): Promise<void> {
    const names = Object.keys(laterLeads.columns);
    const rows: unknown[][] = [];
    for await (const chunk of rowsIn(engine.reads, later, { columns: names })) rows.push(...chunk);
    expect(rows).toEqual(before.map((lead) => rowOf(later, { ...lead, moves: 1 } as never, TEST_SEAL)));
    expect(await formOf("leads")).toEqual(await formOfNew());
    expect((await readMark(engine.reads)).mark).toEqual({ version: LAYOUT });
  }

  /** The columns and indexes of a table. */
  async function formOf(name: string): Promise<string[]> {
    const texts =
      engine.dialect === SQLITE
        ? [engine.dialect.columnsOf, "select sql from sqlite_master where type = 'index' and tbl_name = ?"]
        : [engine.dialect.columnsOf, "select indexdef from pg_indexes where tablename = $1"];
    const found: string[] = [];
    for (const text of texts) {
      const rows = await engine.reads.all({ text, values: [name] });
      found.push(...rows.map(([each]) => String(each).replaceAll(name, "table")));
    }
    return found.toSorted();
  }

  /** The same for the table of a new store. */
  async function formOfNew(): Promise<string[]> {
    await engine.transact(async (session) => {
      await session.define("drop table if exists new_leads");
      for (const text of ddl({ ...later, name: "new-lead" } as never, engine.dialect))
        await session.define(text);
    });
    return formOf("new_leads");
  }

  it("a migration makes the rows and indexes of a full table anew", async () => {
    await run(engine);
    await expectMigrated();
  });

  it("a migration goes on after a kill at any commit, and changes each record once", async () => {
    for (const cutAt of [1, 2, 3, 1, 2]) await expect(run(dyingAt(engine, cutAt))).rejects.toThrow("killed");
    await run(engine);
    await expectMigrated();
  });

  it("of two processes that migrate a store at the same time, one does it", async () => {
    const ended = await Promise.allSettled([run(engine), run(engine)]);
    const refused = ended.filter(({ status }) => status === "rejected");
    expect(refused).toMatchObject([{ reason: { kind: "conflict" } }]);
    await expectMigrated();
  });
});
