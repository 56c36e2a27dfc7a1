import { setImmediate as othersTurn } from "node:timers/promises";
import type { Collection } from "../collection.ts";
import type { Key } from "../keys.ts";
import type { Between, Store } from "../store.ts";

/** Records that are read before others get their turn. */
const CHUNK = 500;

/** A listing and the condition that its records must pass. */
export interface NewestSearch<R, Index extends string> {
  accountId: number;
  index: Index;
  start: Key;
  between?: Between | undefined;
  keeps: (record: R) => boolean;
  /** How many records are read at most. */
  mostRead: number;
}

/** The records that pass, the newest first. `stoppedAt`: the last one that was read, if older ones were not. */
export async function searchNewest<R, Index extends string>(
  store: Store,
  from: Collection<R, string, Index>,
  { accountId, index, start, between, keeps, mostRead }: NewestSearch<R, Index>,
): Promise<{ records: R[]; stoppedAt: R | null }> {
  const records: R[] = [];
  for (let offset = 0; ; offset += CHUNK) {
    const limit = Math.min(CHUNK, mostRead - offset);
    // One more tells whether there are older ones.
    const page = { limit: limit + 1, offset, reverse: true, between };
    const read = await store.page(from, index, accountId, start, page);
    records.push(...read.slice(0, limit).filter(keeps));
    if (read.length <= limit) return { records, stoppedAt: null };
    if (offset + limit >= mostRead) return { records, stoppedAt: read[limit - 1] ?? null };
    await othersTurn();
  }
}
