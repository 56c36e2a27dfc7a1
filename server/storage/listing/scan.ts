import { setImmediate as othersTurn } from "node:timers/promises";
import type { AtomicDriver, Range } from "../driver.ts";
import { successor } from "../keys.ts";

/** Entries read before others get their turn: a few milliseconds' worth. */
const CHUNK = 1_000;

/** All entries of a stretch of keys, in chunks. However long it is, the event loop stays free for others. */
export async function* scan(
  driver: Pick<AtomicDriver, "list">,
  { from, before }: { from: string; before: string },
): AsyncGenerator<[key: string, value: string][]> {
  let start = from;
  for (;;) {
    const entries = await driver.list({ from: start, before, limit: CHUNK });
    yield entries;
    const last = entries.at(-1);
    if (entries.length < CHUNK || last === undefined) return;
    start = successor(last[0]);
    await othersTurn();
  }
}

/** Entries passed over before others get their turn: some milliseconds' worth, too. */
const STRIDE = 4_000;

/** The same stretch without its first `offset` entries, which are passed over without keeping others waiting. */
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
