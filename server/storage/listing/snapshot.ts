import type { AtomicDriver } from "../driver.ts";
import { scan } from "./scan.ts";

/** Before and after all encoded keys. */
export const EVERYTHING = { from: " ", before: "~" };

/** Entries of one commit: enough to share its cost, few enough to leave others their turn. */
const CHUNK = 1_000;

export type Entry = [key: string, value: string];

/** All entries of a store in key order, as they stand at one moment where its driver can hold one still. */
export function snapshot(driver: AtomicDriver): AsyncIterable<Entry[]> {
  return driver.snapshot?.() ?? scan(driver, EVERYTHING);
}

/** Whether a store holds nothing. */
export async function isEmpty(driver: AtomicDriver): Promise<boolean> {
  return (await driver.list({ ...EVERYTHING, limit: 1 })).length === 0;
}

/** Writes entries as they are, in commits of a bearable size. */
export async function putEntries(driver: AtomicDriver, entries: Entry[]): Promise<void> {
  for (let done = 0; done < entries.length; done += CHUNK) {
    const puts = entries.slice(done, done + CHUNK);
    await driver.commit({ checks: [], puts, removes: [], sums: [] });
  }
}

/** Brings together what comes one by one. */
export async function* inChunks<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let chunk: T[] = [];
  for await (const item of items) {
    chunk.push(item);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
