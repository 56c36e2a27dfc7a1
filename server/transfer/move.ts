import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { putEntries, snapshot } from "../storage/snapshot.ts";
import { every, type Progress } from "./export.ts";
import { refuseFull } from "./import.ts";
import { newTally, type Totals } from "./tally.ts";

/**
 * Copies all of one store into another, empty one, and reads both again to compare them.
 *
 * @throws Failure `in_use` for a full target, `conflict` where the source was written to meanwhile or
 *   the copy is not the same
 */
export async function moveStore(from: AtomicDriver, to: AtomicDriver, onProgress: Progress): Promise<Totals> {
  await refuseFull(to);
  const progress = every(onProgress);
  for await (const entries of snapshot(from)) {
    await putEntries(to, entries);
    progress(entries.length);
  }
  const [source, copy] = [await totalsOf(from), await totalsOf(to)];
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
export async function totalsOf(driver: AtomicDriver): Promise<Totals> {
  const tally = newTally();
  for await (const entries of snapshot(driver)) for (const entry of entries) tally.add(entry);
  return tally.totals();
}
