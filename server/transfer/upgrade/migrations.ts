import { facts } from "../../domain/events/event.ts";
import { deliveries } from "../../domain/events/webhook/delivery.ts";
import { payoutMethods } from "../../domain/ledger/payout-method/payout-method.ts";
import { daily } from "../../domain/people/daily.ts";
import { NO_VISIT, ORIGIN_KINDS } from "../../domain/people/origin.ts";
import { pastClicks, visitors } from "../../domain/people/visitor/visitor.ts";
import { NO_SEAL } from "../../seal.ts";
import { parseStored, type Table } from "../../storage/table.ts";
import { leaveProof, openRecord } from "../../storage/sealed.ts";
import type { Session } from "../../storage/session.ts";
import { columnDdl, indexDdl, sqlName } from "../../storage/sql.ts";
import type { AnyRecord, AnyTable } from "../../tables.ts";
import { recordsIn, replaceRecords } from "../stored-items.ts";
import type { Work } from "../work.ts";

/**
 * A numbered change of stores with tables. The store is not in use meanwhile, so `OLDEST_SERVED` is its layout or a later
 * one. A migration is kept as long as stores and exports of the layout before it can be upgraded.
 *
 * @see docs/storage.md "Changing the layout"
 */
export interface Migration {
  /** The layout that it produces. */
  layout: number;
  /** The tables whose columns, indexes or records changed. Their rows and indexes are rebuilt. */
  remade: readonly Remade[];
  /** Counts sums anew, after the tables were rebuilt. It may run twice. Absent: the sums stay. */
  recount?: (session: Session) => Promise<void>;
}

/** A table whose rows are rebuilt. */
export interface Remade {
  table: AnyTable;
  /** Converts a record of the layout before. Its key stays. */
  change: (record: never) => unknown;
}

/** All migrations, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  // The details of payout methods are encrypted, also in events about them.
  { layout: 14, remade: [remade(payoutMethods), remade(facts), remade(deliveries)] },
  // Clicks are counted by each promoter's sources and pages.
  { layout: 15, remade: [], recount: countOwnOrigins },
];

/** Declares that a table's columns or indexes changed, and optionally how its records changed. */
export function remade<R extends AnyRecord, Former = R>(
  table: Table<R>,
  change: (record: Former) => unknown = (record) => record,
): Remade {
  return { table: table as unknown as AnyTable, change };
}

/** The tables that a store's migrations rebuild, with all changes of their records since its layout. */
export function remadeSince(layout: number, migrations: readonly Migration[]): Remade[] {
  const found = new Map<string, Remade>();
  for (const { table, change } of migrations
    .filter((each) => each.layout > layout)
    .flatMap(({ remade }) => remade)) {
    const before = found.get(table.name)?.change ?? ((record) => record);
    found.set(table.name, { table, change: (record) => change(before(record) as never) });
  }
  return [...found.values()];
}

interface Migrating {
  migrations: readonly Migration[];
  /** Called after each chunk. */
  onRows: (count: number) => void;
}

/**
 * Rebuilds the rows and indexes of tables. It continues after the rows that were rebuilt before an interruption, because
 * each may be changed only once.
 */
export async function migrate(work: Work, { migrations, onRows }: Migrating): Promise<void> {
  const due = remadeSince(work.state.layout, migrations);
  const { seal = NO_SEAL } = work.engine;
  const tables = due.map(({ table }) => table);
  await work.commit(async (session) => {
    for (const table of tables) await addColumns(session, table);
  });
  await work.commit((session) => leaveProof(session, seal));
  let passedCount = 0;
  for (const { table, change } of due) {
    for await (const items of recordsIn(work.engine.reads, table)) {
      const left = items.slice(Math.max(0, work.state.filledCount - passedCount));
      passedCount += items.length;
      const records = left.map(
        ({ text }) =>
          change(openRecord(table, parseStored<AnyRecord>(table.name, text), seal) as never) as AnyRecord,
      );
      if (records.length > 0)
        await work.commit((session) => replaceRecords(session, table, records, seal), {
          filledCount: passedCount,
        });
      onRows(items.length);
    }
  }
  await work.commit(async (session) => {
    for (const table of tables) await makeIndexes(session, table);
  });
  for (const { layout, recount } of migrations) {
    if (recount !== undefined && layout > work.state.layout) await work.commit(recount);
  }
}

/**
 * Counts all clicks by their promoters' sources and pages, in SQL, because stores have millions of them. It is not sent by
 * `run`, whose statements may take only seconds.
 */
async function countOwnOrigins(session: Session): Promise<void> {
  const keys = ORIGIN_KINDS.map((kind) => `coalesce(${kind}_key, '${NO_VISIT[`${kind}Key`]}')`);
  const clicksIn = (of: Table<never>, day: string, clicks: string) =>
    `select account_id, promoter_id, ${keys.join(" || ' ' || ")} as subject_key, ${day} as day,` +
    ` promoter_campaign_id, ${clicks} as clicks from ${sqlName(of)}`;
  const all = `${clicksIn(visitors, "substr(created_at, 1, 10)", "1")} union all ${clicksIn(pastClicks, "day", "clicks")}`;
  await session.define(`delete from ${daily.name} where series = 'promoter-origin'`);
  await session.define(
    `insert into ${daily.name} (account_id, series, subject_id, subject_key, day, promoter_campaign_id, clicks)` +
      ` select account_id, 'promoter-origin', promoter_id, subject_key, day, promoter_campaign_id, sum(clicks) from (${all}) as visits` +
      " group by account_id, promoter_id, subject_key, day, promoter_campaign_id",
  );
}

/** Drops indexes and adds new columns. Without indexes, a table is filled several times as fast. */
async function addColumns(session: Session, table: AnyTable): Promise<void> {
  const name = sqlName(table);
  const known = await namesIn(session, session.dialect.columnsOf, name);
  for (const column of Object.keys(table.columns)) {
    if (!known.includes(column))
      await session.define(`alter table ${name} add column ${columnDdl(table, column, session.dialect)}`);
  }
  await dropIndexes(session, name);
}

/** Makes indexes and drops removed columns, which would keep the data of erased people. */
async function makeIndexes(session: Session, table: AnyTable): Promise<void> {
  const name = sqlName(table);
  await dropIndexes(session, name);
  const own = session.dialect.own.map((column) => column.split(" ", 1)[0]);
  const wanted = new Set(["account_id", "doc", ...own, ...Object.keys(table.columns)]);
  for (const column of await namesIn(session, session.dialect.columnsOf, name)) {
    if (!wanted.has(column)) await session.define(`alter table ${name} drop column ${column}`);
  }
  for (const statement of indexDdl(table, session.dialect)) await session.define(statement);
}

/** An operator's own indexes have different names, and stay. */
async function dropIndexes(session: Session, name: string): Promise<void> {
  for (const index of await namesIn(session, session.dialect.indexesOf, name)) {
    if (index.startsWith(`${name}_`)) await session.define(`drop index ${index}`);
  }
}

async function namesIn(session: Session, text: string, table: string): Promise<string[]> {
  return (await session.all({ text, values: [table] })).map(([name]) => String(name));
}
