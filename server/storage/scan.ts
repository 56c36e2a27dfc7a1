import { setImmediate as othersTurn } from "node:timers/promises";
import type { AtomicDriver } from "./driver.ts";

/** Entries read before others get their turn: a few milliseconds' worth. */
const CHUNK = 1_000;
/** Sorts before all that may continue a key. */
const LEAST = " ";

/** All entries of a stretch of keys, in chunks. However long it is, the event loop stays free for others. */
export async function* scan(
  driver: AtomicDriver,
  { from, before }: { from: string; before: string },
): AsyncGenerator<[key: string, value: string][]> {
  let start = from;
  for (;;) {
    const entries = await driver.list({ from: start, before, limit: CHUNK });
    yield entries;
    const last = entries.at(-1);
    if (entries.length < CHUNK || last === undefined) return;
    start = last[0] + LEAST;
    await othersTurn();
  }
}
