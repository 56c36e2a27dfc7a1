import { Failure } from "../failure.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { MARK_KEY, readMark, refusalOf, type UnderWay } from "../storage/layout.ts";
import { scan } from "../storage/listing/scan.ts";
import { EVERYTHING, inChunks } from "../storage/listing/snapshot.ts";
import { placeOf, type Item } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { rebuild } from "./rebuild.ts";
import { upgradeRecords } from "./upgrade/upgrade.ts";
import { beginWork, runStages, type Work } from "./work.ts";

/** Records that a store can be filled with. */
export interface Source {
  /** Identifies the source: the digest of its records. */
  id: string;
  /** The layout of its records. */
  layout: number;
  /** The number of its items. null: unknown. */
  count: number | null;
  /** Its items, each time in the same order. */
  items(): AsyncIterable<Item>;
  /** For a part of a store: items that it shares with the rest. They may change from one time to the next. */
  shared?(): AsyncIterable<Item>;
}

/** How to deal with a store in which the same work was interrupted. */
export interface Interrupted {
  /** Continue it. */
  resumes: boolean;
  /** Clear the store and start over. */
  isForced: boolean;
}

interface Filling extends Interrupted {
  work: "import" | "move";
  source: Source;
  onProgress: Progress;
}

/**
 * Fills an empty store with records, and derives claims, indexes and counters from them. It may be
 * interrupted at any moment; until it is complete, the store is refused.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one in which other work, or filling
 *   from another source, was interrupted
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
      // A consistent source has no faults.
      if (fault !== undefined) throw new Failure("malformed", `The source contradicts itself: ${fault}`);
    },
  });
}

/**
 * The filling of a store that was interrupted. null: the store is empty.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one in which work was interrupted that may not be
 *   dealt with so
 */
export async function findUnfinished(
  driver: AtomicDriver,
  { resumes, isForced }: Interrupted,
): Promise<UnderWay | null> {
  const { mark } = await readMark(driver);
  const former = mark?.underWay;
  if (former === undefined) {
    await refuseFull(driver);
    return null;
  }
  if (former.source === null || !(resumes || isForced)) throw refusalOf(former);
  return former;
}

/** The state to start or continue from. */
async function beginning(driver: AtomicDriver, filling: Filling): Promise<Omit<UnderWay, "by">> {
  const { work, source, isForced } = filling;
  const former = await findUnfinished(driver, filling);
  const fresh = { work, source: source.id, layout: source.layout, filledCount: 0 };
  if (former === null) return { ...fresh, stage: "fill" };
  if (isForced) return { ...fresh, stage: "clear" };
  if (former.work === work && former.source === source.id) return former;
  throw new Failure("refused", "The store was being filled from another source: --force starts over");
}

/** @throws Failure `in_use` for a store that holds more than its layout mark */
async function refuseFull(driver: AtomicDriver): Promise<void> {
  const entries = await driver.list({ ...EVERYTHING, limit: 2 });
  if (entries.some(([key]) => key !== MARK_KEY)) {
    throw new Failure("in_use", "The target store is not empty");
  }
}

async function clear(driver: AtomicDriver, work: Work, onProgress: Progress): Promise<void> {
  const cleared = counting("cleared", onProgress);
  for await (const entries of scan(driver, EVERYTHING)) {
    await work.commit({ removes: entries.map(([key]) => key).filter((key) => key !== MARK_KEY) });
    cleared(entries.length);
  }
}

/** Continues after the items that were filled in before. */
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
  for await (const items of inChunks(source.shared?.() ?? none())) {
    await work.commit({ puts: items.map(placeOf) });
  }
}

async function* none(): AsyncGenerator<never> {}
