import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { checkLayout, isOlder, LAYOUT, MARK_KEY, readMark, refusalOf } from "../storage/layout.ts";
import { scan } from "../storage/listing/scan.ts";
import { EVERYTHING, type Entry } from "../storage/listing/snapshot.ts";
import { itemOf, placeOf, type Item } from "./item.ts";
import { itemOfLayout5, itemOfLayout6 } from "./former-layouts.ts";
import { counting, type Progress } from "./progress.ts";
import { rebuild } from "./rebuild.ts";
import { upgradeClicks } from "./upgrade-clicks.ts";
import { upgradeMoney } from "./upgrade-money.ts";
import { beginWork, runStages, type Work } from "./work.ts";

/** How each layout's entries are read, and what makes the next layout's records of its own. */
const LAYOUTS: Record<number, { itemOf(entry: Entry): Item | null; upgrades: Upgrade[] }> = {
  5: { itemOf: itemOfLayout5, upgrades: [upgradeClicks, upgradeMoney] },
  // Its keys were shorter.
  6: { itemOf: itemOfLayout6, upgrades: [] },
};

/** Changes records of a layout into the next one's; begun anew where it was cut short. */
type Upgrade = (driver: AtomicDriver, work: Work) => Promise<void>;

/**
 * Moves a store of an earlier layout on to this release's. Until it has come to its end, the store is refused;
 * whoever calls it again goes on. Nobody may write to the store meanwhile.
 *
 * @returns whether there was anything to do
 * @throws Failure `refused` for a store that no release made, or on which other work is under way
 */
export async function upgradeStore(
  driver: AtomicDriver,
  { backUp, onProgress }: { backUp: () => Promise<void>; onProgress: Progress },
): Promise<boolean> {
  const { mark } = await readMark(driver);
  const former = mark?.underWay;
  if (former !== undefined && former.work !== "upgrade") throw refusalOf(former);
  if (former === undefined && !isOlder(mark)) {
    await checkLayout(driver);
    return false;
  }
  if (former === undefined) await backUp();
  const layout = mark?.version ?? LAYOUT;
  const begun = { work: "upgrade", stage: "convert", source: null, layout, filledCount: 0 } as const;
  const work = await beginWork(driver, former ?? begun);
  await runStages(work, {
    convert: () => convert(driver, work, onProgress),
    upgrade: () => upgradeRecords(driver, work),
    async derive() {
      const [fault] = await rebuild(driver, work, onProgress);
      if (fault !== undefined) throw new Failure("malformed", `The store is at odds with itself: ${fault}`);
    },
  });
  return true;
}

/** Changes the records that a store was filled with, or had, into this layout's. */
export async function upgradeRecords(driver: AtomicDriver, work: Work): Promise<void> {
  for (let layout = work.state.layout; layout < LAYOUT; layout++) {
    for (const upgrade of LAYOUTS[layout]?.upgrades ?? []) await upgrade(driver, work);
  }
}

/** Reads the entries of a store that is laid out so. */
export function itemReader(layout: number): (entry: Entry) => Item | null {
  return LAYOUTS[layout]?.itemOf ?? itemOf;
}

/** Puts each record where this release keeps it, and drops all that records make. */
async function convert(driver: AtomicDriver, work: Work, onProgress: Progress): Promise<void> {
  const converted = counting("converted", onProgress);
  const read = itemReader(work.state.layout);
  for await (const entries of scan(driver, EVERYTHING)) {
    const puts: Entry[] = [];
    const removes: string[] = [];
    for (const entry of entries) {
      if (entry[0] === MARK_KEY) continue;
      const item = read(entry);
      const place = item && placeOf(item);
      if (place !== null) puts.push(place);
      if (place?.[0] !== entry[0]) removes.push(entry[0]);
    }
    await work.commit({ puts, removes });
    converted(entries.length);
  }
}
