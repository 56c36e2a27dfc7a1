import { openDriver } from "../../server/storage/open.ts";
import { decodeKey } from "../../server/storage/keys.ts";
import { snapshot, type Entry } from "../../server/storage/snapshot.ts";
import { checkLanes, checkRelations } from "./consistency/relations.ts";
import { readHoldings } from "./consistency/structure.ts";

/** All that a store holds, in key order. */
export async function readEntries(url: string): Promise<Entry[]> {
  const driver = await openDriver(url);
  const entries: Entry[] = [];
  for await (const chunk of snapshot(driver)) entries.push(...chunk);
  await driver.dispose?.();
  return entries;
}

/**
 * What in a store does not hang together, in sentences: claims, index entries and counters that its records
 * don't make, records that name others which are not there.
 */
export function findFaults(entries: Entry[]): string[] {
  const faults: string[] = [];
  const report = (fault: string) => void faults.push(fault);
  const holdings = readHoldings(entries, report);
  checkRelations(holdings, report);
  checkLanes(holdings, report);
  return faults;
}

/** The entries of one account, those that the system keeps for it too. */
export function entriesOf(entries: Entry[], accountId: number): Entry[] {
  return entries.filter(([key, text]) => {
    const [owner, name] = decodeKey(key.split(":", 2).join(":"));
    if (owner !== 0) return owner === accountId;
    const value = JSON.parse(text) as { ownerId?: number; id?: unknown };
    return value.ownerId === accountId || (name === "account" && value.id === accountId);
  });
}
