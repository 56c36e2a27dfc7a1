import { Failure } from "../failure.ts";
import type { AtomicDriver } from "./driver.ts";
import { encodeKey } from "./keys.ts";
import { isEmpty } from "./snapshot.ts";

/** Grows when claims, lists or counters come to lie elsewhere in a store, or a driver keeps them otherwise. */
export const LAYOUT = 7;
/** Where a store says how it is laid out. */
export const MARK_KEY = encodeKey([0, "layout"]);

/** Work on a whole store that has not come to its end. */
export interface UnderWay {
  work: "rebuild";
  /** Tells those who do it one after the other apart. */
  by: string;
}

/** How a store is laid out. */
export interface Mark {
  version: number;
  /** Absent: the store may be used. */
  underWay?: UnderWay;
}

const REFUSALS: Record<UnderWay["work"], string> = {
  rebuild:
    "The claims, indexes and counters of the store are being rebuilt, or were when that was cut short: run `tidemark rebuild` to its end",
};

/**
 * Marks an empty store with how this release lays things out, and refuses one that another release laid out
 * otherwise, or that is only half there.
 *
 * @throws Failure `refused`
 */
export async function checkLayout(driver: AtomicDriver): Promise<void> {
  if (await isOurs(driver)) return;
  if (await isEmpty(driver)) {
    const puts: [string, string][] = [[MARK_KEY, JSON.stringify({ version: LAYOUT })]];
    await driver.commit({ checks: [[MARK_KEY, null]], puts, removes: [], sums: [] });
  }
  // Another process may have been the first.
  if (await isOurs(driver)) return;
  throw new Failure(
    "refused",
    "The store was made by another release of Tidemark, which laid it out otherwise: use that one, or an empty store",
  );
}

/** How a store is laid out, as text and parsed; null: it does not say. */
export async function readMark(driver: AtomicDriver): Promise<{ text: string | null; mark: Mark | null }> {
  const text = await driver.getItem(MARK_KEY);
  return { text, mark: text === null ? null : (JSON.parse(text) as Mark) };
}

/** The refusal of a store on which work is under way. */
export function refusalOf({ work }: UnderWay): Failure {
  return new Failure("refused", REFUSALS[work]);
}

/** Refuses the mark of a store that another release laid out otherwise; all other entries pass. @throws Failure `refused` */
export function checkMark(key: string, text: string): void {
  if (key !== MARK_KEY || (JSON.parse(text) as Mark).version === LAYOUT) return;
  throw new Failure(
    "refused",
    "The store was exported by another release of Tidemark, which laid it out otherwise: import it with that one",
  );
}

/** @throws Failure `refused` where work is under way */
async function isOurs(driver: AtomicDriver): Promise<boolean> {
  const { mark } = await readMark(driver);
  if (mark?.underWay !== undefined) throw refusalOf(mark.underWay);
  return mark?.version === LAYOUT;
}
