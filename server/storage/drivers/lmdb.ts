import { randomUUID } from "node:crypto";
import { setImmediate as turnEnd, setTimeout as sleep } from "node:timers/promises";
import { open } from "lmdb";
import { Failure } from "../../failure.ts";
import { refuseLongKeys, type AtomicDriver, type Changes, type Range } from "../driver.ts";
import { applyBatch } from "../batch.ts";
import { EVERYTHING } from "../snapshot.ts";
import { knownTexts } from "./known-texts.ts";
import { endable } from "./lmdb-end.ts";
import { snapshot } from "./lmdb-snapshot.ts";

const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };

/** Where each commit leaves its stamp; before all encoded keys, so that the last of these grow at the tree's end. */
const STAMP = "\u001f";

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

/**
 * Keeps everything in an LMDB folder, which any number of processes on this machine may share. That is why
 * lmdb is 2.9.4 exactly: from 3.0 on, each process remembers free pages, and two of them destroyed stores.
 */
export function lmdbDriver(path: string): AtomicDriver {
  const db = open<string, string>({
    path,
    encoding: "string",
    // Else a folder with a dot in its name is taken for a file.
    noSubdir: false,
    // A commit resolves only when the disk has it, not as soon as other readers can see it.
    overlappingSync: false,
    // Each transaction comes alone. With batching, lmdb makes a promise beside it that nobody can await,
    // and whose rejection would end the process.
    eventTurnBatching: false,
  });
  const known = knownTexts();
  const writer = randomUUID();
  let commitCount = 0;
  /** Whether this turn of the event loop has its own snapshot. */
  let isFresh = false;
  let pending: PendingCommit[] = [];
  let givesWay = false;
  return {
    name: "lmdb",
    hasItem: (key) => read(key) !== null,
    getItem: read,
    getItemRaw: read,
    setItem: async (key, value) => void (await commit({ ...NOTHING, puts: [[key, value]] })),
    removeItem: async (key) => void (await commit({ ...NOTHING, removes: [key] })),
    getKeys: () => (freshen(), [...db.getKeys({ start: EVERYTHING.from })]),
    dispose: () => db.close(),
    commit,
    async list(range: Range) {
      freshen();
      return range.reverse ? listBackwards(range) : listForwards(range);
    },
    async count({ from, before }) {
      freshen();
      return db.getKeysCount({ start: from, end: before });
    },
    refresh,
    snapshot: () => snapshot(db),
    backup: (folder) => db.backup(folder, true),
  };

  function read(key: string): string | null {
    freshen();
    const text = known.get(key);
    if (text !== undefined) return text;
    const stored = db.get(key) ?? null;
    known.set(key, stored);
    return stored;
  }

  /** lmdb holds on to a snapshot until a timer runs, while what asks for it may come from who has written since. */
  function freshen(): void {
    if (isFresh) return;
    isFresh = true;
    setImmediate(refresh);
    db.resetReadTxn();
    known.see(db.get(STAMP));
  }

  function refresh(): void {
    isFresh = false;
  }

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
      const results = await endable(() =>
        db.transaction(() => {
          take();
          return write(batch);
        }),
      );
      // What it was read from until now is the past.
      refresh();
      batch.forEach(({ resolve }, index) => resolve(results[index] === true));
    } catch (error) {
      if (batch.length === 0) take();
      const refusal = await whyNotCommitted(error);
      for (const { reject } of batch) reject(refusal);
    }
  }

  /** Runs within a write transaction, which nobody else's commit can come between. */
  function write(batch: readonly PendingCommit[]): boolean[] {
    known.see(db.get(STAMP));
    const stamp = `${writer} ${++commitCount}`;
    known.expect(stamp, batch);
    void db.put(STAMP, stamp);
    refresh();
    givesWay = isOthers(db.get(LATE));
    const results = applyBatch(batch, {
      get(key) {
        const text = known.get(key);
        return text === undefined ? db.get(key) : (text ?? undefined);
      },
      put(key, value) {
        known.forget(key);
        void db.put(key, value);
      },
      remove(key) {
        known.forget(key);
        void db.remove(key);
      },
    });
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

  function listForwards({ from, before, limit, offset = 0 }: Range): [string, string][] {
    return [...db.getRange({ start: from, end: before, limit, offset })].map(({ key, value }) => [
      key,
      value,
    ]);
  }

  /** LMDB's backward ranges begin at their start, included, while ours leave `before` out. */
  function listBackwards({ from, before, limit, offset = 0 }: Range): [string, string][] {
    const skipped = offset + (db.doesExist(before) ? 1 : 0);
    const entries: [string, string][] = [];
    for (const { key, value } of db.getRange({ start: before, reverse: true, limit, offset: skipped })) {
      if (key < from) break;
      entries.push([key, value]);
    }
    return entries;
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
