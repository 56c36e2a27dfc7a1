import type { Pool } from "pg";
import { dependOn, merged, namesWritten, type Changes, type Seen } from "./changes.ts";
import { isOutdated, isPassing, LOST_RACE, sqlState } from "./faults.ts";
import type { Marks } from "./marks.ts";
import { sendOn } from "./pipeline.ts";
import { BEGIN } from "./schema.ts";
import { commandsOf, slotsOf } from "./statements.ts";

/** Commits under way at the same time, each of many transactions. */
const MAX_RUNNING = 2;
/** The rows of one commit. */
const MAX_ROWS = 20_000;

/** Commits what a transaction has read and written. @throws the fault that keeps it from being committed */
export type Commit = (changes: Changes) => Promise<void>;

interface Waiting {
  changes: Changes;
  slots: ReadonlyMap<number, boolean>;
  resolve: () => void;
  reject: (fault: unknown) => void;
}

/** Commits transactions that wait at the same time together. `writes`: at each moment the pool of the server to write to. */
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
    // By then all transactions that have ended together are waiting.
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
      // What one of them has done must not cost the others their commits. Nothing was written, or there would be no state.
      if (batch.length > 1 && (isOutdated(fault) || (sqlState(fault) !== null && !isPassing(fault)))) {
        const half = batch.length >> 1;
        for (const part of [batch.slice(0, half), batch.slice(half)]) await settle(part);
      } else for (const { reject } of batch) reject(fault);
      return;
    }
    for (const { resolve } of batch) resolve();
    // Those who have read what has changed need not try.
    const names = new Set(batch.flatMap(({ changes }) => namesWritten(changes)));
    const lost = new Set(waiting.filter(({ changes }) => dependOn(changes, names)));
    waiting = waiting.filter((one) => !lost.has(one));
    for (const { reject } of lost) reject(LOST_RACE);
  }
}

/**
 * Takes those that can be committed together, after each other. All are compared with what the database has before the first
 * one, so none may depend on what an earlier one writes. `others`: those that are being committed.
 */
function takeBatch<T extends Pick<Waiting, "changes" | "slots">>(
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
    // One of two that have read different versions is outdated.
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
