import { facts } from "../../domain/events/event.ts";
import { deliveries } from "../../domain/events/webhook/delivery.ts";
import { payoutMethods } from "../../domain/ledger/payout-method/payout-method.ts";
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
