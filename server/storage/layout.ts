import { Failure } from "../failure.ts";
import type { AtomicDriver } from "./driver.ts";
import { encodeKey } from "./keys.ts";
import { isEmpty } from "./listing/snapshot.ts";

/** Grows when records are shaped, or claims, lists and counters lie, otherwise than in the release before. */
export const LAYOUT = 7;
/** The first layout of a release. Stores and exports of all since are moved on. */
export const OLDEST_LAYOUT = 5;
/** Where a store says how it is laid out. */
export const MARK_KEY = encodeKey([0, "layout"]);

/** What is done with a store as a whole, step by step. */
export const STAGES = ["clear", "convert", "fill", "upgrade", "derive"] as const;

/** Work on a whole store that has not come to its end. */
export interface UnderWay {
  work: "import" | "move" | "upgrade" | "rebuild";
  /** Tells those who do it one after the other apart. */
  by: string;
  stage: (typeof STAGES)[number];
  /** What the store is filled with, so that it is filled with one thing alone. null: it is not filled. */
  source: string | null;
  /** The layout that its records had at the beginning. */
  layout: number;
  /** Items that were filled in. */
  filledCount: number;
}

/** How a store is laid out. */
export interface Mark {
  version: number;
  /** Absent: the store may be used. */
  underWay?: UnderWay;
}

const REFUSALS: Record<UnderWay["work"], string> = {
  import:
    "An import into the store was begun and has not come to its end: run `tidemark import` again with --resume to go on, or with --force to begin anew",
  move: "A move into the store was begun and has not come to its end: run `tidemark move` again with --resume to go on, or with --force to begin anew",
  upgrade:
    "The store is being moved on to this release, or was when that was cut short: where nobody does it any more, `tidemark upgrade` goes on",
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
  if (await isEmpty(driver)) {
    const puts: [string, string][] = [[MARK_KEY, JSON.stringify({ version: LAYOUT })]];
    // Another process may be the first.
    await driver.commit({ checks: [[MARK_KEY, null]], puts, removes: [], sums: [] });
  }
  const { mark } = await readMark(driver);
  if (mark?.underWay !== undefined) throw refusalOf(mark.underWay);
  if (mark?.version === LAYOUT) return;
  if (isOlder(mark)) {
    throw new Failure(
      "refused",
      "The store is laid out as an earlier release did: `tidemark upgrade` moves it on, and so does the start of the server",
    );
  }
  const maker = mark !== null && mark.version > LAYOUT ? "a later release" : "a build before 0.1";
  throw new Failure("refused", `The store was made by ${maker} of Tidemark: use that one, or an empty store`);
}

/** How a store is laid out, as text and parsed; null: it does not say. */
export async function readMark(driver: AtomicDriver): Promise<{ text: string | null; mark: Mark | null }> {
  const text = await driver.getItem(MARK_KEY);
  return { text, mark: text === null ? null : (JSON.parse(text) as Mark) };
}

/** Whether an earlier release laid a store out, which this one can move on. */
export function isOlder(mark: Mark | null): boolean {
  return mark !== null && mark.version >= OLDEST_LAYOUT && mark.version < LAYOUT;
}

/** The refusal of a store on which work is under way. */
export function refusalOf({ work }: UnderWay): Failure {
  return new Failure("refused", REFUSALS[work]);
}
