import { Failure } from "../failure.ts";
import { parseStored, type AtomicDriver } from "./driver.ts";
import { encodeKey } from "./keys.ts";
import { isEmpty } from "./listing/snapshot.ts";

/**
 * Raise it with every change to the shape of records, or to the keys and values of claims, indexes or
 * counters.
 */
export const LAYOUT = 12;
/**
 * The oldest layout that this release serves as it is: it reads records of that layout and of all later ones, and writes
 * the one that the store's mark names. @see docs/ARCHITECTURE.md "Changing the layout"
 */
export const OLDEST_SERVED = 12;
/** The layout of the first release. Stores and exports of every layout since then can be upgraded. */
export const OLDEST_LAYOUT = 5;
/** Where a store keeps its layout mark. */
export const MARK_KEY = encodeKey([0, "layout"]);
/** Where a process that found no room tries to write. No item stays there. */
export const ROOM_KEY = encodeKey([0, "layout", "room"]);

/** The steps of work on a whole store, in their order. */
export const STAGES = ["clear", "convert", "fill", "upgrade", "derive"] as const;

/** Unfinished work on a whole store. */
export interface UnderWay {
  work: "import" | "move" | "upgrade" | "rebuild";
  /** Differs between the processes that work on the store one after the other. */
  by: string;
  stage: (typeof STAGES)[number];
  /**
   * The digest of the records that fill the store, so that no two sources are mixed. null: it is not being
   * filled.
   */
  source: string | null;
  /** The layout of its records before the work began. */
  layout: number;
  /** How many items have been filled in. */
  filledCount: number;
}

/** A store's layout mark. */
export interface Mark {
  /** The layout that is written. */
  version: number;
  /** The layout that is about to be written. Processes that don't know it stop. Absent: none. */
  next?: number;
  /** Absent: the store may be used. */
  underWay?: UnderWay;
}

const REFUSALS: Record<UnderWay["work"], string> = {
  import:
    "An import into the store is unfinished: run `tidemark import` again with --resume to continue it, or with --force to start over",
  move: "A move into the store is unfinished: run `tidemark move` again with --resume to continue it, or with --force to start over",
  upgrade:
    "An upgrade of the store is running or was interrupted: if nothing runs it any more, `tidemark upgrade` continues it",
  rebuild:
    "A rebuild of the store is running or was interrupted: if nothing runs it any more, `tidemark rebuild` starts it again",
};

/**
 * Marks an empty store with this release's layout. Refuses a store with another layout or with unfinished
 * work.
 *
 * @throws Failure `refused`
 */
export async function checkLayout(driver: AtomicDriver): Promise<void> {
  if (await isEmpty(driver)) {
    const puts: [string, string][] = [[MARK_KEY, JSON.stringify({ version: LAYOUT })]];
    // Another process may have been quicker.
    await driver.commit({ checks: [[MARK_KEY, null]], puts, removes: [], sums: [] });
  }
  const { mark } = await readMark(driver);
  if (mark?.underWay !== undefined) throw refusalOf(mark.underWay);
  if (mark !== null && isKnown(mark)) return;
  if (isOlder(mark)) {
    throw new Failure(
      "refused",
      "The store was made by an earlier release of Tidemark: `tidemark upgrade` upgrades it, and so does starting the server",
    );
  }
  const maker =
    mark !== null && (mark.next ?? mark.version) > LAYOUT ? "a later release" : "a build before 0.1";
  throw new Failure("refused", `The store was made by ${maker} of Tidemark: use that one, or an empty store`);
}

/** A store's layout mark, as text and parsed. null: it has none. */
export async function readMark(driver: AtomicDriver): Promise<{ text: string | null; mark: Mark | null }> {
  const text = await driver.getItem(MARK_KEY);
  return { text, mark: text === null ? null : parseStored<Mark>(MARK_KEY, text) };
}

/** Whether this release can use a store as it is. */
export function isKnown({ version, next = version, underWay }: Mark): boolean {
  return underWay === undefined && version >= OLDEST_SERVED && next <= LAYOUT;
}

/** Whether an earlier release made a store that this one must upgrade before it can use it. */
export function isOlder(mark: Mark | null): boolean {
  return mark !== null && mark.version >= OLDEST_LAYOUT && mark.version < OLDEST_SERVED;
}

/** The refusal of a store with unfinished work. */
export function refusalOf({ work }: UnderWay): Failure {
  return new Failure("refused", REFUSALS[work]);
}
