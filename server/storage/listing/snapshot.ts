import type { AtomicDriver } from "../driver.ts";
import { scan } from "./scan.ts";

/** A range that holds all encoded keys. */
export const EVERYTHING = { from: " ", before: "~" };

/** Entries of one commit: enough to share its cost, few enough to leave others their turn. */
const CHUNK = 1_000;

export type Entry = [key: string, value: string];

/** All entries of a store in key order. They are from a single moment if the driver can take a snapshot. */
export function snapshot(driver: AtomicDriver): AsyncIterable<Entry[]> {
  return driver.snapshot?.() ?? scan(driver, EVERYTHING);
}

/** Whether a store holds nothing. */
export async function isEmpty(driver: AtomicDriver): Promise<boolean> {
  return (await driver.list({ ...EVERYTHING, limit: 1 })).length === 0;
}

/** Writes entries unchanged, in commits of moderate size. */
export async function putEntries(driver: AtomicDriver, entries: Entry[]): Promise<void> {
  for (let done = 0; done < entries.length; done += CHUNK) {
    const puts = entries.slice(done, done + CHUNK);
    await driver.commit({ checks: [], puts, removes: [], sums: [] });
  }
}

/** Groups items into chunks. */
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
