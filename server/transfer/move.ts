import { Failure } from "../failure.ts";
import { checkLayout, FIRST_WITH_TABLES, isOlder, LAYOUT, readMark } from "../storage/layout.ts";
import type { Engine } from "../storage/session.ts";
import { fillStore, type Interrupted } from "./fill.ts";
import { totalsOf, type Items, type Totals } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { atOneMoment, itemsIn } from "./stored-items.ts";
import { formerItemsIn } from "./upgrade/former-items.ts";

/**
 * Fills an empty store with all records of another store of this or an earlier release, and compares the two.
 *
 * @throws Failure `in_use` for a target that isn't empty, `refused` for a target or source with other
 *   unfinished work, `conflict` if something wrote to the source meanwhile
 */
export async function moveStore(
  [from, to]: [Engine, Engine],
  { onProgress, ...interrupted }: Interrupted & { onProgress: Progress },
): Promise<Totals> {
  const layout = await layoutOf(from);
  const items: Items = () =>
    atOneMoment(from, (reads) =>
      layout < FIRST_WITH_TABLES ? formerItemsIn(reads, layout)() : itemsIn(reads),
    );
  const before = await totalsOf(items(), counting("checked", onProgress));
  const source = { id: before.sha256, layout, count: before.entries, items };
  await fillStore(to, { work: "move", source, onProgress, ...interrupted });
  const compared = counting("compared", onProgress, 2 * before.entries);
  const after = await totalsOf(items(), compared);
  const copy = await totalsOf(itemsIn(to.reads), compared);
  // Stores of earlier layouts have their records in another order.
  const isSame = layout < FIRST_WITH_TABLES || copy.sha256 === after.sha256;
  if (after.sha256 === before.sha256 && isSame) return copy;
  throw new Failure(
    "conflict",
    `The copy is not the same (${after.entries} and ${copy.entries} records): stop what writes to the first ` +
      "store, and move again into an empty one",
  );
}

/** @throws Failure `refused` for a store that can't be used and that no upgrade can help */
async function layoutOf(engine: Engine): Promise<number> {
  const { mark } = await readMark(engine.reads);
  if (!isOlder(mark) || mark?.underWay !== undefined) await checkLayout(engine);
  return mark?.version ?? LAYOUT;
}
