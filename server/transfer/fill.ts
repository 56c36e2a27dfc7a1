import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { MARK_KEY, readMark, refusalOf, type UnderWay } from "../storage/layout.ts";
import { scan } from "../storage/listing/scan.ts";
import { EVERYTHING, inChunks } from "../storage/listing/snapshot.ts";
import { placeOf, type Item } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { rebuild } from "./rebuild.ts";
import { upgradeRecords } from "./upgrade.ts";
import { beginWork, runStages, type Work } from "./work.ts";

/** Records that a store can be filled with. */
export interface Source {
  /** Tells it from other sources. */
  id: string;
  /** The layout that its records are shaped by. */
  layout: number;
  /** How many there are. null: not known. */
  count: number | null;
  /** The same in the same order each time. */
  items(): AsyncIterable<Item>;
}

/** What becomes of a store in which such work was cut short. */
export interface Interrupted {
  /** Goes on with it. */
  resumes: boolean;
  /** Begins anew. */
  isForced: boolean;
}

interface Filling extends Interrupted {
  work: "import" | "move";
  source: Source;
  onProgress: Progress;
}

/**
 * Fills an empty store with records, and makes claims, indexes and counters of them. Until it has come to its end,
 * the store is refused; it may be cut short at any moment.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one in which other work, or another source,
 *   was cut short
 */
export async function fillStore(driver: AtomicDriver, filling: Filling): Promise<void> {
  const { onProgress } = filling;
  const work = await beginWork(driver, await beginning(driver, filling));
  await runStages(work, {
    clear: () => clear(driver, work, onProgress),
    fill: () => fill(work, filling),
    upgrade: () => upgradeRecords(driver, work),
    async derive() {
      const [fault] = await rebuild(driver, work, onProgress);
      // What was whole in its source has none.
      if (fault !== undefined) throw new Failure("malformed", `The source is at odds with itself: ${fault}`);
    },
  });
}

/** Where to begin, or to go on. */
async function beginning(driver: AtomicDriver, filling: Filling): Promise<Omit<UnderWay, "by">> {
  const { work, source, resumes, isForced } = filling;
  const { mark } = await readMark(driver);
  const former = mark?.underWay;
  const anew = { work, source: source.id, layout: source.layout, filledCount: 0 };
  if (former === undefined) {
    await refuseFull(driver);
    return { ...anew, stage: "fill" };
  }
  if (former.source === null) throw refusalOf(former);
  if (isForced) return { ...anew, stage: "clear" };
  if (!resumes) throw refusalOf(former);
  if (former.work === work && former.source === source.id) return former;
  throw new Failure("refused", "The store was begun to be filled with something else: --force begins anew");
}

/** @throws Failure `in_use` for a store that holds more than how it is laid out */
async function refuseFull(driver: AtomicDriver): Promise<void> {
  const entries = await driver.list({ ...EVERYTHING, limit: 2 });
  if (entries.some(([key]) => key !== MARK_KEY)) {
    throw new Failure("in_use", "The store to be filled is not empty");
  }
}

async function clear(driver: AtomicDriver, work: Work, onProgress: Progress): Promise<void> {
  const cleared = counting("cleared", onProgress);
  for await (const entries of scan(driver, EVERYTHING)) {
    await work.commit({ removes: entries.map(([key]) => key).filter((key) => key !== MARK_KEY) });
    cleared(entries.length);
  }
}

/** Goes on behind what was filled in before. */
async function fill(work: Work, { source, onProgress, work: name }: Filling): Promise<void> {
  const filled = counting(name === "import" ? "imported" : "moved", onProgress, source.count);
  let passedCount = 0;
  for await (const items of inChunks(source.items())) {
    const from = passedCount;
    passedCount += items.length;
    filled(items.length);
    if (passedCount <= work.state.filledCount) continue;
    const left = items.slice(Math.max(0, work.state.filledCount - from));
    await work.commit({ puts: left.map(placeOf) }, { filledCount: passedCount });
  }
}
