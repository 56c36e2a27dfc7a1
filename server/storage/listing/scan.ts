import { setImmediate as othersTurn } from "node:timers/promises";
import type { AtomicDriver, Range } from "../driver.ts";
import { successor } from "../keys.ts";

/** Entries that are read before others get their turn: a few milliseconds' worth. */
const CHUNK = 1_000;

/** Yields all entries of a range in chunks, so that even a long range leaves the event loop free. */
export async function* scan(
  driver: Pick<AtomicDriver, "list">,
  { from, before, isOfShort = false }: Pick<Range, "from" | "before" | "isOfShort">,
): AsyncGenerator<[key: string, value: string][]> {
  let start = from;
  for (;;) {
    const entries = await driver.list({ from: start, before, limit: CHUNK, isOfShort });
    yield entries;
    const last = entries.at(-1);
    if (entries.length < CHUNK || last === undefined) return;
    start = successor(last[0]);
    await othersTurn();
  }
}

/** Entries that are skipped before others get their turn: also some milliseconds' worth. */
const STRIDE = 4_000;

/**
 * Skips the first `offset` entries of a range without blocking the event loop, and returns the rest of the
 * range.
 */
export async function passOver(driver: Pick<AtomicDriver, "list">, range: Range): Promise<Range> {
  let { from, before, offset = 0 } = range;
  for (; offset > STRIDE; offset -= STRIDE) {
    const stride = { from, before, reverse: range.reverse ?? false, offset: STRIDE - 1, limit: 1 };
    const [last] = await driver.list(stride);
    // Past the end: nothing is left.
    if (last === undefined) return { ...range, from: before, before, offset: 0 };
    if (range.reverse) before = last[0];
    else from = successor(last[0]);
    await othersTurn();
  }
  return { ...range, from, before, offset };
}
