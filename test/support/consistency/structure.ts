import type { Engine } from "../../../server/storage/session.ts";
import type { Table } from "../../../server/storage/table.ts";
import { TABLES } from "../../../server/tables.ts";
import { entriesIn } from "../entries.ts";

/** All records of one kind. */
export type RecordsOf = <R>(from: Table<R>) => R[];

/** A store's records by kind. */
export interface Holdings {
  of: RecordsOf;
  /** The first id of each kind that has not been given to a process yet. */
  nextIds: Map<string, number>;
}

/** Sorts a store's records by kind. */
export async function readHoldings(engine: Engine): Promise<Holdings> {
  const records = new Map<string, unknown[]>();
  for (const { table, doc } of await entriesIn(engine, TABLES)) {
    const others = records.get(table);
    if (others === undefined) records.set(table, [JSON.parse(doc)]);
    else others.push(JSON.parse(doc));
  }
  const ids = await engine.reads.all({ text: "select kind, next from ids", values: [] });
  return {
    of: <R>({ name }: Table<R>) => (records.get(name) ?? []) as R[],
    nextIds: new Map(ids.map(([kind, next]) => [String(kind), Number(next)])),
  };
}
