import { Failure, reasonOf } from "../failure.ts";
import { NO_SEAL } from "../seal.ts";
import { LAYOUT, readMark, unfinished, type UnderWay } from "../storage/layout.ts";
import { leaveProof } from "../storage/sealed.ts";
import type { Engine } from "../storage/session.ts";
import type { Item, Items } from "./item.ts";
import { counting, type Progress } from "./progress.ts";
import { clearTables, holdsNothing, insertItems } from "./stored-items.ts";
import { work, type Work } from "./work.ts";

/** Records that a store can be filled with. */
export interface Source {
  /** Identifies the source: the digest of its records. */
  id: string;
  /** The number of its records. */
  count: number;
  items: Items;
}

/** What to do with a store in which the same work was interrupted. */
export interface Interrupted {
  /** Continue it. */
  resumes: boolean;
  /** Clear the store and start over. */
  isForced: boolean;
  /** Items per commit. Tests use fewer. */
  commitSize?: number;
}

/** Each commit costs a few disk writes, independent of its size. */
const COMMIT_SIZE = 10_000;
/** Characters per commit, because a commit is in memory as a whole. */
const COMMIT_LENGTH = 2 * 2 ** 20;

interface Filling extends Interrupted {
  source: Source;
  /** Runs first, and again when the work is continued. */
  prepare?: (() => Promise<void>) | undefined;
  onProgress: Progress;
}

/**
 * Fills an empty store with records. It may be interrupted at any moment; until it is complete, the store can't be used.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one in which other work, or filling
 *   from another source, was interrupted, `malformed` for contradictory records
 */
export async function fillStore(engine: Engine, filling: Filling): Promise<void> {
  const { source, onProgress } = filling;
  await work(engine, await beginning(engine, filling), {
    clear: (work) => work.commit(clearTables),
    async fill(work) {
      await filling.prepare?.();
      await fill(work, filling, counting("imported", onProgress, source.count));
    },
  });
}

/**
 * The interrupted filling of a store, or null if the store is empty.
 *
 * @throws Failure `in_use` for a store that isn't empty, `refused` for one with interrupted work that may not be continued
 *   or restarted
 */
async function findUnfinished(
  { reads }: Engine,
  { resumes, isForced }: Interrupted,
): Promise<UnderWay | null> {
  const { mark } = await readMark(reads);
  const former = mark?.underWay;
  if (mark === null || former === undefined) {
    if (await holdsNothing(reads)) return null;
    throw new Failure("in_use", "The target store is not empty");
  }
  if (!(resumes || isForced)) throw unfinished();
  // Its rows have that release's layout, and no migration follows.
  if (!isForced && mark.version !== LAYOUT)
    throw new Failure("refused", "The store was being filled by another release: --force starts over");
  return former;
}

/** The state to start or continue from. */
async function beginning(engine: Engine, filling: Filling): Promise<Omit<UnderWay, "by">> {
  const { source, isForced } = filling;
  const former = await findUnfinished(engine, filling);
  const fresh = { source: source.id, filledCount: 0 };
  if (former === null) return { ...fresh, stage: "fill" };
  if (isForced) return { ...fresh, stage: "clear" };
  if (former.source === source.id) return former;
  throw new Failure("refused", "The store was being filled from another source: --force starts over");
}

/** Continues after the items that were filled in before. */
async function fill(
  work: Work,
  { source, commitSize = COMMIT_SIZE }: Filling,
  onItems: (count: number) => void,
): Promise<void> {
  const { seal = NO_SEAL } = work.engine;
  await work.commit((session) => leaveProof(session, seal));
  let passedCount = 0;
  for await (const chunk of inChunksOf(commitSize, source.items())) {
    const left = chunk.slice(Math.max(0, work.state.filledCount - passedCount));
    passedCount += chunk.length;
    if (left.length > 0) {
      const inserted = work.commit((session) => insertItems(session, left, work.engine), {
        filledCount: passedCount,
      });
      await inserted.catch(refuseContradiction);
    }
    onItems(chunk.length);
  }
}

async function* inChunksOf(size: number, items: AsyncIterable<Item[]>): AsyncGenerator<Item[]> {
  let chunk: Item[] = [];
  let length = 0;
  for await (const more of items) {
    for (const item of more) {
      chunk.push(item);
      length += item.text.length;
      if (chunk.length < size && length < COMMIT_LENGTH) continue;
      yield chunk;
      [chunk, length] = [[], 0];
    }
  }
  if (chunk.length > 0) yield chunk;
}

/** A consistent source never violates a unique constraint. */
function refuseContradiction(error: unknown): never {
  const reason = reasonOf(error);
  const isContradiction =
    (error instanceof Failure && error.kind === "malformed") || /unique constraint/i.test(reason);
  throw isContradiction ? new Failure("malformed", `The source contradicts itself: ${reason}`) : error;
}
