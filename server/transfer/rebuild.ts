import { Failure } from "../failure.ts";
import { derivedOf } from "../storage/collection.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { checkLayout, LAYOUT, readMark, refusalOf } from "../storage/layout.ts";
import { scan } from "../storage/listing/scan.ts";
import { EVERYTHING, type Entry } from "../storage/listing/snapshot.ts";
import { damageOf, kindOf, type AnyRecord } from "./collections.ts";
import { counting, type Progress } from "./progress.ts";
import { beginWork, type Work } from "./work.ts";

/**
 * Makes the claims, index entries and counters of a store anew from its records. An interrupted rebuild
 * starts again; until one is complete, the store is refused. Nobody may write to the store meanwhile.
 *
 * @returns a sentence for each claim that two records make; the first record keeps it
 * @throws Failure `refused` while other work on the store is unfinished, and `malformed` for a damaged
 *   record; nothing is changed then
 */
export async function rebuildStore(driver: AtomicDriver, onProgress: Progress): Promise<string[]> {
  const { mark } = await readMark(driver);
  const former = mark?.underWay;
  if (former !== undefined && former.work !== "rebuild") throw refusalOf(former);
  if (former === undefined) await checkLayout(driver);
  await refuseDamaged(driver, onProgress);
  const layout = mark?.version ?? LAYOUT;
  const begun = { work: "rebuild", stage: "derive", source: null, layout, filledCount: 0 } as const;
  const work = await beginWork(driver, begun);
  const faults = await rebuild(driver, work, onProgress);
  await work.finish();
  return faults;
}

/** Reads all records before anything is removed. */
async function refuseDamaged(driver: AtomicDriver, onProgress: Progress): Promise<void> {
  const checked = counting("checked", onProgress);
  for await (const entries of scan(driver, EVERYTHING)) {
    for (const [key, text] of entries) {
      const fault = kindOf(key).kind === "record" ? damageOf(key, text) : null;
      if (fault !== null) throw new Failure("malformed", fault);
    }
    checked(entries.length);
  }
}

/** Does the same as a part of other work. */
export async function rebuild(driver: AtomicDriver, work: Work, onProgress: Progress): Promise<string[]> {
  const cleared = counting("cleared", onProgress);
  for await (const entries of scan(driver, EVERYTHING)) {
    const removes = entries.map(([key]) => key).filter((key) => isDerived(key));
    if (removes.length > 0) await work.commit({ removes });
    cleared(entries.length);
  }
  const rebuilt = counting("rebuilt", onProgress);
  const faults: string[] = [];
  for await (const entries of scan(driver, EVERYTHING)) {
    faults.push(...(await derive(driver, work, entries)));
    rebuilt(entries.length);
  }
  return faults;
}

function isDerived(key: string): boolean {
  const { kind } = kindOf(key);
  return kind === "pointer" || kind === "counter";
}

/** Writes everything that these records derive. */
async function derive(driver: AtomicDriver, work: Work, entries: Entry[]): Promise<string[]> {
  const faults: string[] = [];
  const puts = new Map<string, string>();
  const sums = new Map<string, number>();
  const made = entries.flatMap(([key, text]) => {
    const sorted = kindOf(key);
    if (sorted.kind !== "record") return [];
    return [{ name: sorted.from.name, ...derivedOf(sorted.from, JSON.parse(text) as AnyRecord) }];
  });
  const claims = made.flatMap(({ pointers }) => pointers.filter(({ isClaim }) => isClaim));
  // All at once, because a remote store answers them in one round trip.
  const texts = await Promise.all(claims.map(({ key }) => driver.getItem(key)));
  const holders = new Map(claims.map(({ key }, at) => [key, texts[at] ?? null]));
  for (const { name, pointers, pointer, sums: counted } of made) {
    for (const { what, key } of pointers) {
      const holder = puts.get(key) ?? holders.get(key) ?? null;
      if (holder === null) puts.set(key, pointer);
      else faults.push(`${name} ${pointer} has the same ${what} as ${holder}`);
    }
    for (const [counter, amount] of counted) sums.set(counter, (sums.get(counter) ?? 0) + amount);
  }
  await work.commit({ puts: [...puts], sums: [...sums].filter(([, sum]) => sum !== 0) });
  return faults;
}
