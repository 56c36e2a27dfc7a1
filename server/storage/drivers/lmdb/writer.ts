import { randomUUID } from "node:crypto";
import { setImmediate as turnEnd, setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../../failure.ts";
import { applyBatch } from "../../batch.ts";
import { refuseLongKeys, type Changes } from "../../driver.ts";
import { endable } from "./end.ts";
import { STAMP, type Parts, type View } from "./view.ts";

/** Where a process leaves its mark whose commit came too late; before all encoded keys, too. */
const LATE = "\u001flate";
/** How long others then leave gaps between their transactions, and how long such a gap is. */
const GIVE_WAY_MS = 100;
const GAP_MS = 4;

interface PendingCommit {
  changes: Changes;
  resolve: (isDone: boolean) => void;
  reject: (error: unknown) => void;
}

/** Gives what commits to a store. All that comes while a write transaction is under way shares the next. */
export function newWriter(
  { db, log, known, isLogged }: Parts,
  { freshen, refresh }: View,
): (changes: Changes) => Promise<boolean> {
  const writer = randomUUID();
  let commitCount = 0;
  let pending: PendingCommit[] = [];
  let givesWay = false;
  return commit;

  async function commit(changes: Changes): Promise<boolean> {
    refuseLongKeys(changes);
    return new Promise<boolean>((resolve, reject) => {
      pending.push({ changes, resolve, reject });
      if (pending.length === 1) void commitPending();
    });
  }

  /** All that came while the last write transaction was under way goes into the next, and shares its sync. */
  async function commitPending(): Promise<void> {
    let batch: PendingCommit[] = [];
    const take = () => {
      batch = pending;
      pending = [];
    };
    try {
      if (givesWay) await sleep(Math.random() * GAP_MS);
      // Who only writes is to know the log as well.
      freshen();
      const results = await written(db, () => {
        take();
        return write(batch);
      });
      // What it was read from until now is the past.
      refresh();
      batch.forEach(({ resolve }, index) => resolve(results[index] === true));
    } catch (error) {
      if (batch.length === 0) take();
      for (const { reject } of batch) reject(error);
    }
  }

  /** Runs within a write transaction, which nobody else's commit can come between. */
  function write(batch: readonly PendingCommit[]): boolean[] {
    known.see(db.get(STAMP));
    givesWay = isOthers(db.get(LATE));
    const record = log.begin();
    const changed = new Map<string, string | null>();
    const results = applyBatch(batch, {
      get(key) {
        let text = changed.get(key);
        if (text === undefined) text = known.get(key);
        if (text === undefined && isLogged(key)) text = record.get(key);
        return text === undefined ? db.get(key) : (text ?? undefined);
      },
      put: (key, value) => void changed.set(key, value),
      remove: (key) => void changed.set(key, null),
    });
    // Only now, as lmdb commits what was written before a fault.
    const stamp = `${writer} ${++commitCount}`;
    known.expect(stamp, batch);
    void db.put(STAMP, stamp);
    refresh();
    for (const [key, text] of changed) {
      known.forget(key);
      if (isLogged(key)) record.set(key, text);
      else if (text === null) void db.remove(key);
      else void db.put(key, text);
    }
    record.end();
    if (results.includes(false)) void db.put(LATE, `${writer} ${Date.now()}`);
    return results;
  }

  /**
   * Who writes without a pause lets nobody else in: another's commit always waits for a transaction that
   * changes what it has read. So whoever came too late is given gaps.
   */
  function isOthers(mark: string | undefined): boolean {
    const [who, at] = mark?.split(" ") ?? [];
    if (who === undefined || who === writer) return false;
    // Also where the clock was set back: the mark would come from the future, and the gaps never end.
    return Math.abs(Date.now() - Number(at)) < GIVE_WAY_MS;
  }
}

/** Runs work in a write transaction. @throws Failure `unavailable` where the disk has no room for it */
export async function written<T>(db: Parts["db"], work: () => T): Promise<T> {
  try {
    return await endable(() => db.transaction(work));
  } catch (error) {
    throw await whyNotCommitted(error);
  }
}

/**
 * lmdb rejects a commit that the disk refused with an error that promises its cause: within the same turn, or,
 * where the cause was told before the commit was found to have failed, never.
 */
async function whyNotCommitted(rejection: unknown): Promise<unknown> {
  if (!(rejection instanceof Error && "commitError" in rejection)) return rejection;
  const failure = new Failure("unavailable", "The store could not be written to; try again");
  try {
    await Promise.race([rejection.commitError, turnEnd()]);
  } catch (cause) {
    failure.cause = cause;
  }
  return failure;
}
