import type { AtomicDriver } from "../../server/storage/driver.ts";
import { snapshot, type Entry } from "../../server/storage/listing/snapshot.ts";

/** All entries of a driver, in key order. */
export async function entriesIn(driver: AtomicDriver): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const chunk of snapshot(driver)) entries.push(...chunk);
  return entries;
}

/** All entries but counters of zero, which may be there or not. */
export async function tellingEntriesIn(driver: AtomicDriver): Promise<Entry[]> {
  return (await entriesIn(driver)).filter(([, value]) => value !== '{"sum":0}');
}
