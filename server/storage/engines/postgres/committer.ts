import type { Pool } from "pg";
import { dependOn, merged, namesWritten, type Changes, type Seen } from "./changes.ts";
import { isOutdated, isPassing, LOST_RACE, sqlState } from "./faults.ts";
import type { Marks } from "./marks.ts";
import { sendOn } from "./pipeline.ts";
import { BEGIN } from "./schema.ts";
import { commandsOf, slotsOf } from "./statements.ts";

/** Concurrent commits, each of many transactions. */
const MAX_RUNNING = 2;
/** The maximum number of rows in one commit. */
const MAX_ROWS = 20_000;

/**
 * Commits a transaction's reads and writes.
 *
 * @throws the fault that prevents the commit
 */
export type Commit = (changes: Changes) => Promise<void>;

interface Waiting {
  changes: Changes;
  slots: ReadonlyMap<number, boolean>;
  resolve: () => void;
  reject: (fault: unknown) => void;
}

/** Commits waiting transactions together. `writes` gives the pool of the current primary. */
export function newCommit(writes: () => Pool, marks: Marks): Commit {
  let waiting: Waiting[] = [];
  const running = new Set<Waiting[]>();
  let isScheduled = false;

  return (changes) =>
    new Promise((resolve, reject) => {
      waiting.push({ changes, slots: slotsOf(changes), resolve, reject });
      schedule();
    });

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // By then all transactions that ended together are waiting.
    setImmediate(() => {
      isScheduled = false;
      while (running.size < MAX_RUNNING) {
        const batch = takeBatch(waiting, [...running].flat());
        if (batch.length === 0) return;
        const taken = new Set(batch);
        waiting = waiting.filter((one) => !taken.has(one));
        running.add(batch);
        void settle(batch).finally(() => {
          running.delete(batch);
          schedule();
        });
      }
    });
  }

  async function settle(batch: Waiting[]): Promise<void> {
    try {
      const commands = [BEGIN, ...commandsOf(merged(batch.map(({ changes }) => changes)), { goesOn: false })];
      await marks.finish((end) => sendOn(writes(), [...commands, ...end]));
    } catch (fault) {
      // A fault of one transaction must not fail the others. Nothing was written, otherwise there would be no
      // SQL state.
      if (batch.length > 1 && (isOutdated(fault) || (sqlState(fault) !== null && !isPassing(fault)))) {
        const half = batch.length >> 1;
        for (const part of [batch.slice(0, half), batch.slice(half)]) await settle(part);
      } else for (const { reject } of batch) reject(fault);
      return;
    }
    for (const { resolve } of batch) resolve();
    // Transactions that read these changed rows need not be retried.
    const names = new Set(batch.flatMap(({ changes }) => namesWritten(changes)));
    const lost = new Set(waiting.filter(({ changes }) => dependOn(changes, names)));
    waiting = waiting.filter((one) => !lost.has(one));
    for (const { reject } of lost) reject(LOST_RACE);
  }
}

/**
 * Picks waiting transactions that can be committed together. All are compared with the database's state
 * before the first one, so none may depend on an earlier one's writes. `others` are being committed now.
 */
export function takeBatch<T extends Pick<Waiting, "changes" | "slots">>(
  waiting: readonly T[],
  others: readonly T[],
): T[] {
  const busy = new Map<number, boolean>();
  for (const { slots } of others)
    for (const [slot, isOwn] of slots) busy.set(slot, isOwn || busy.get(slot) === true);
  const isFree = ({ slots }: T) =>
    ![...slots].some(([slot, isOwn]) => busy.get(slot) === true || (isOwn && busy.has(slot)));
  const batch: T[] = [];
  const written = new Set<string>();
  const seen = new Map<string, Seen>();
  let rowCount = 0;
  for (const one of waiting) {
    const { changes } = one;
    if (!isFree(one) || dependOn(changes, written)) continue;
    // If two have read different versions, one is outdated.
    if (
      [...changes.seen].some(([name, { version }]) => seen.has(name) && seen.get(name)!.version !== version)
    )
      continue;
    rowCount += changes.seen.size + changes.written.length;
    if (batch.length > 0 && rowCount > MAX_ROWS) break;
    batch.push(one);
    for (const name of namesWritten(changes)) written.add(name);
    for (const [name, each] of changes.seen) seen.set(name, each);
  }
  return batch;
}
