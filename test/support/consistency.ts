import { openDriver } from "../../server/storage/open.ts";
import { decodeKey } from "../../server/storage/keys.ts";
import type { Entry } from "../../server/storage/listing/snapshot.ts";
import { entriesIn } from "./entries.ts";
import { checkLanes, checkRelations } from "./consistency/relations.ts";
import { memoryDriver } from "../../server/storage/drivers/memory.ts";
import { findFaults as findStoreFaults } from "../../server/transfer/check.ts";
import { readHoldings } from "./consistency/structure.ts";

/** All entries of a store, in key order. */
export async function readEntries(url: string): Promise<Entry[]> {
  const driver = await openDriver(url);
  const entries = await entriesIn(driver);
  await driver.dispose?.();
  return entries;
}

/**
 * The inconsistencies of a store, in sentences: claims, index entries and counters that its records don't
 * make, and records that name missing records.
 */
export async function findFaults(entries: Entry[]): Promise<string[]> {
  const faults: string[] = [];
  const report = (fault: string) => void faults.push(fault);
  const driver = memoryDriver();
  await driver.commit({ checks: [], puts: entries, removes: [], sums: [] });
  for await (const fault of findStoreFaults(driver)) report(fault);
  const holdings = readHoldings(entries);
  checkRelations(holdings, report);
  checkLanes(holdings, report);
  return faults;
}

/** The entries of one account, including those that the system keeps for it. */
export function entriesOf(entries: Entry[], accountId: number): Entry[] {
  return entries.filter(([key, text]) => {
    const [owner, name] = decodeKey(key.split(":", 2).join(":"));
    if (owner !== 0) return owner === accountId;
    const value = JSON.parse(text) as { ownerId?: number; id?: unknown };
    return value.ownerId === accountId || (name === "account" && value.id === accountId);
  });
}
