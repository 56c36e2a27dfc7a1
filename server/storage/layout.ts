import { Failure } from "../failure.ts";
import type { AtomicDriver } from "./driver.ts";
import { encodeKey } from "./keys.ts";
import { isEmpty } from "./snapshot.ts";

/** Grows when claims, lists or counters come to lie elsewhere in a store, or a driver keeps them otherwise. */
const LAYOUT = 6;
const KEY = encodeKey([0, "layout"]);

/**
 * Marks an empty store with how this release lays things out, and refuses one that another release laid out
 * otherwise: its lists and counters would seem empty.
 *
 * @throws Failure `refused`
 */
export async function checkLayout(driver: AtomicDriver): Promise<void> {
  if (await isOurs(driver)) return;
  if (await isEmpty(driver)) {
    const puts: [string, string][] = [[KEY, JSON.stringify({ version: LAYOUT })]];
    await driver.commit({ checks: [[KEY, null]], puts, removes: [], sums: [] });
  }
  // Another process may have been the first.
  if (await isOurs(driver)) return;
  throw new Failure(
    "refused",
    "The store was made by another release of Tidemark, which laid it out otherwise: use that one, or an empty store",
  );
}

/** Refuses the mark of a store that another release laid out otherwise; all other entries pass. @throws Failure `refused` */
export function checkMark(key: string, text: string): void {
  if (key !== KEY || versionOf(text) === LAYOUT) return;
  throw new Failure(
    "refused",
    "The store was exported by another release of Tidemark, which laid it out otherwise: import it with that one",
  );
}

async function isOurs(driver: AtomicDriver): Promise<boolean> {
  const text = await driver.getItemRaw(KEY);
  return text !== null && versionOf(text) === LAYOUT;
}

function versionOf(mark: string): number {
  return (JSON.parse(mark) as { version: number }).version;
}
