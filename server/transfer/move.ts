import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { checkLayout, isOlder, LAYOUT, readMark } from "../storage/layout.ts";
import { snapshot, type Entry } from "../storage/listing/snapshot.ts";
import { fillStore, type Interrupted } from "./fill.ts";
import { itemOf, type Item } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { newTally, type Totals } from "./tally.ts";
import { itemReader } from "./upgrade/upgrade.ts";

/**
 * Fills an empty store with all records of another store of this or an earlier release, and compares the two.
 *
 * @throws Failure `in_use` for a target that isn't empty, `refused` for a target or source with other
 *   unfinished work, `conflict` if something wrote to the source meanwhile
 */
export async function moveStore(
  [from, to]: [AtomicDriver, AtomicDriver],
  { onProgress, ...interrupted }: Interrupted & { onProgress: Progress },
): Promise<Totals> {
  const layout = await layoutOf(from);
  const read = itemReader(layout);
  const before = await totalsOf(from, { read, onItems: counting("checked", onProgress) });
  const source = { id: before.sha256, layout, count: before.entries, items: () => itemsIn(from, read) };
  await fillStore(to, { work: "move", source, onProgress, ...interrupted });
  const compared = counting("compared", onProgress, 2 * before.entries);
  const after = await totalsOf(from, { read, onItems: compared });
  const copy = await totalsOf(to, { onItems: compared });
  // The records of an earlier layout were changed by the upgrade, so they can't be compared.
  const isSame = layout < LAYOUT || copy.sha256 === after.sha256;
  if (after.sha256 === before.sha256 && isSame) return copy;
  throw new Failure(
    "conflict",
    `The copy is not the same (${after.entries} and ${copy.entries} records): stop what writes to the first ` +
      "store, and move again into an empty one",
  );
}

/** Adds up the records of a store. */
export async function totalsOf(
  driver: AtomicDriver,
  { read = itemOf, onItems = () => {} }: { read?: Reading; onItems?: (count: number) => void } = {},
): Promise<Totals> {
  const tally = newTally();
  for await (const entries of snapshot(driver)) {
    const items = entries.map(read).filter((item) => item !== null);
    for (const item of items) tally.add(item);
    onItems(items.length);
  }
  return tally.totals();
}

type Reading = (entry: Entry) => Item | null;

/** @throws Failure `refused` for a store that can't be used and that no upgrade can help */
async function layoutOf(driver: AtomicDriver): Promise<number> {
  const { mark } = await readMark(driver);
  if (!isOlder(mark) || mark?.underWay !== undefined) await checkLayout(driver);
  return mark?.version ?? LAYOUT;
}

async function* itemsIn(driver: AtomicDriver, read: Reading): AsyncGenerator<Item> {
  for await (const entries of snapshot(driver)) {
    for (const entry of entries) {
      const item = read(entry);
      if (item !== null) yield item;
    }
  }
}
