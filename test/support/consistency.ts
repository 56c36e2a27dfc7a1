import { openEngine } from "../../server/storage/open.ts";
import type { Engine } from "../../server/storage/session.ts";
import { TABLES } from "../../server/tables.ts";
import { findFaults as findStoreFaults } from "../../server/transfer/check.ts";
import { checkLanes, checkRelations } from "./consistency/relations.ts";
import { readHoldings } from "./consistency/structure.ts";
import { entriesIn, type Entry } from "./entries.ts";
import { TEST_SEAL } from "./memory-engine.ts";

/** Looks into the store of an address, which processes may be using. */
export async function inStore<T>(url: string, look: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(url, { tables: TABLES, seal: TEST_SEAL });
  try {
    return await look(engine);
  } finally {
    await engine.close();
  }
}

/** All records of a store. */
export function allEntries(engine: Engine): Promise<Entry[]> {
  return entriesIn(engine, TABLES);
}

/**
 * The inconsistencies of a store, in sentences: columns and counters that its records don't make, and records that name
 * missing records.
 */
export async function findFaults(engine: Engine): Promise<string[]> {
  const faults: string[] = [];
  const report = (fault: string) => void faults.push(fault);
  for await (const fault of findStoreFaults(engine)) report(fault);
  const holdings = await readHoldings(engine);
  checkRelations(holdings, report);
  checkLanes(holdings, report);
  return faults;
}

/** The records of one account, including those that the system keeps for it. */
export function entriesOf(entries: Entry[], of: number): Entry[] {
  return entries.filter(({ table, account_id, doc }) => {
    if (account_id !== 0) return account_id === of;
    const value = JSON.parse(doc) as { owner_id?: number; id?: unknown };
    return value.owner_id === of || (table === "account" && value.id === of);
  });
}
