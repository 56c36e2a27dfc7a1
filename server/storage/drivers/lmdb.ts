import { open } from "lmdb";
import { refuseLongKeys, type AtomicDriver, type Changes, type Range } from "../driver.ts";
import { applyBatch } from "../batch.ts";

interface PendingCommit {
  changes: Changes;
  resolve: (isDone: boolean) => void;
  reject: (error: unknown) => void;
}

/** Keeps everything in an LMDB folder, which any number of processes on this machine may share. */
export function lmdbDriver(path: string): AtomicDriver {
  const db = open<string, string>({
    path,
    // Else a folder with a dot in its name is taken for a file.
    noSubdir: false,
    encoding: "string",
    // A commit resolves only when the disk has it, not as soon as other readers can see it.
    overlappingSync: false,
  });
  const get = (key: string) => db.get(key);
  let pending: PendingCommit[] = [];
  return {
    name: "lmdb",
    hasItem: (key) => db.doesExist(key),
    getItem: (key) => get(key) ?? null,
    getItemRaw: (key) => get(key) ?? null,
    setItem: async (key, value) => void (await db.put(key, value)),
    removeItem: async (key) => void (await db.remove(key)),
    getKeys: () => [...db.getKeys()],
    dispose: () => db.close(),
    async commit(changes) {
      refuseLongKeys(changes);
      return new Promise<boolean>((resolve, reject) => {
        pending.push({ changes, resolve, reject });
        if (pending.length === 1) void commitPending();
      });
    },
    async list(range: Range) {
      return range.reverse ? listBackwards(range) : listForwards(range);
    },
    async count({ from, before }) {
      return db.getKeysCount({ start: from, end: before });
    },
  };

  /** All that came while the last write transaction was under way goes into the next, and shares its sync. */
  async function commitPending(): Promise<void> {
    let batch: PendingCommit[] = [];
    const take = () => {
      batch = pending;
      pending = [];
    };
    try {
      const results = await db.transaction(() => {
        take();
        return applyBatch(batch, {
          get,
          put: (key, value) => void db.put(key, value),
          remove: (key) => void db.remove(key),
        });
      });
      batch.forEach(({ resolve }, index) => resolve(results[index] === true));
    } catch (error) {
      if (batch.length === 0) take();
      for (const { reject } of batch) reject(error);
    }
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
