import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { putEntries, snapshot } from "../storage/snapshot.ts";
import { refuseFull } from "./import.ts";
import { counting, type Progress } from "./progress.ts";
import { newTally, type Totals } from "./tally.ts";

/**
 * Copies all of one store into another, empty one, and reads both again to compare them.
 *
 * @throws Failure `in_use` for a full target, `conflict` where the source was written to meanwhile or
 *   the copy is not the same
 */
export async function moveStore(from: AtomicDriver, to: AtomicDriver, onProgress: Progress): Promise<Totals> {
  await refuseFull(to);
  const progress = counting("moved", onProgress);
  let moved = 0;
  for await (const entries of snapshot(from)) {
    await putEntries(to, entries);
    progress(entries.length);
    moved += entries.length;
  }
  const compare = counting("compared", onProgress, 2 * moved);
  const [source, copy] = [await totalsOf(from, compare), await totalsOf(to, compare)];
  if (source.sha256 !== copy.sha256) {
    throw new Failure(
      "conflict",
      `The copy is not the same (${source.entries} and ${copy.entries} entries): stop what writes to the ` +
        "first store, empty the second and move again",
    );
  }
  return copy;
}

/** What a store holds. */
export async function totalsOf(
  driver: AtomicDriver,
  onEntries: (count: number) => void = () => {},
): Promise<Totals> {
  const tally = newTally();
  for await (const entries of snapshot(driver)) {
    for (const entry of entries) tally.add(entry);
    onEntries(entries.length);
  }
  return tally.totals();
}
