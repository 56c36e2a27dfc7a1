import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import { NOTHING, type AtomicDriver } from "../../storage/driver.ts";
import {
  checkLayout,
  isOlder,
  LAYOUT,
  MARK_KEY,
  readMark,
  refusalOf,
  type Mark,
} from "../../storage/layout.ts";
import { scan } from "../../storage/listing/scan.ts";
import { EVERYTHING, type Entry } from "../../storage/listing/snapshot.ts";
import { itemOf, placeOf, type Item } from "../item.ts";
import { itemOfLayout5, itemOfLayout6 } from "./former-layouts.ts";
import { counting, type Progress } from "../progress.ts";
import { rebuild } from "../rebuild.ts";
import { upgradeClicks } from "./clicks.ts";
import { upgradeMoney } from "./money.ts";
import { upgradeSales } from "./sales.ts";
import { beginWork, runStages, type Work } from "../work.ts";

/**
 * For each former layout: how to read its entries, and how to change its records into those of the next
 * layout.
 */
const LAYOUTS: Record<number, { itemOf(entry: Entry): Item | null; upgrades: Upgrade[] }> = {
  5: { itemOf: itemOfLayout5, upgrades: [upgradeClicks, upgradeMoney] },
  // Only its keys were different: shorter.
  6: { itemOf: itemOfLayout6, upgrades: [] },
  7: { itemOf, upgrades: [upgradeSales] },
  // Only counters were added, and the upgrade makes all counters anew.
  8: { itemOf, upgrades: [] },
  // Counters and index entries were added; the upgrade makes them.
  9: { itemOf, upgrades: [] },
  // Only counters were added.
  10: { itemOf, upgrades: [] },
  11: { itemOf, upgrades: [] },
};

/** Changes records of a layout into those of the next one. It starts again if it was interrupted. */
type Upgrade = (driver: AtomicDriver, work: Work) => Promise<void>;

/**
 * The first layout whose releases look at the mark while they run, and how long their servers and commands take at most
 * to notice that another layout is announced: they look every second, and an open commit ends within five.
 */
const FIRST_WATCHED = 9;
export const NOTICED_MS = 10_000;

/**
 * Refuses to convert a store that other processes use. A process asks before it writes anything itself.
 *
 * @param stopsOthers whether the operator wants servers to be stopped. Those of the first releases don't notice
 * @throws Failure `refused`
 */
export async function refuseShared(
  driver: AtomicDriver,
  { stopsOthers }: { stopsOthers: boolean },
): Promise<void> {
  const { mark } = await readMark(driver);
  if (mark === null || mark.underWay !== undefined || !isOlder(mark)) return;
  if (!(await driver.isShared?.())) return;
  const isUsed = "Another server or command uses the store, and this release must convert it first";
  if (mark.version < FIRST_WATCHED)
    throw new Failure("refused", `${isUsed}: stop all servers, then start this one`);
  if (stopsOthers) return;
  throw new Failure(
    "refused",
    `${isUsed}: stop all servers, then start this one, or run \`tidemark upgrade\`, which stops them. \`tidemark upgrade --check\` says how long it takes`,
  );
}

/**
 * Upgrades a store of an earlier layout. If this release can serve both layouts, servers of it keep running, and only
 * the mark changes. Otherwise nobody may write to the store meanwhile, and until the upgrade is complete, the store
 * is refused; another call continues an interrupted upgrade.
 *
 * @returns whether there was anything to do
 * @throws Failure `refused` for a store that no release made, or with other unfinished work
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
    return raiseLayout(driver);
  }
  if (former === undefined && mark !== null && mark.version >= FIRST_WATCHED) await announce(driver, mark);
  if (former === undefined) await backUp();
  const layout = mark?.version ?? LAYOUT;
  const begun = { work: "upgrade", stage: "convert", source: null, layout, filledCount: 0 } as const;
  const work = await beginWork(driver, former ?? begun);
  await runStages(work, {
    convert: () => convert(driver, work, onProgress),
    upgrade: () => upgradeRecords(driver, work),
    async derive() {
      const [fault] = await rebuild(driver, work, onProgress);
      if (fault !== undefined) throw new Failure("malformed", `The store contradicts itself: ${fault}`);
    },
  });
  return true;
}

/** Has the layout of this release written from now on. false: it is written already. */
async function raiseLayout(driver: AtomicDriver): Promise<boolean> {
  const { mark } = await readMark(driver);
  if (mark === null || mark.version === LAYOUT) return false;
  await announce(driver, mark);
  await putMark(driver, { version: LAYOUT });
  return true;
}

/** Stops what runs of releases that don't know this layout. Resolves when none of it writes any more. */
async function announce(driver: AtomicDriver, { version }: Mark): Promise<void> {
  await putMark(driver, { version, next: LAYOUT });
  await sleep(NOTICED_MS);
}

function putMark(driver: AtomicDriver, mark: Mark): Promise<boolean> {
  return driver.commit({ ...NOTHING, puts: [[MARK_KEY, JSON.stringify(mark)]] });
}

/** Changes all records of a store into those of this layout. */
export async function upgradeRecords(driver: AtomicDriver, work: Work): Promise<void> {
  for (let layout = work.state.layout; layout < LAYOUT; layout++) {
    for (const upgrade of LAYOUTS[layout]?.upgrades ?? []) await upgrade(driver, work);
  }
}

/** Returns the function that reads the entries of a layout. */
export function itemReader(layout: number): (entry: Entry) => Item | null {
  return LAYOUTS[layout]?.itemOf ?? itemOf;
}

/** Moves each record to its key in this release, and removes everything that is derived from records. */
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
