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
    encoding: "string",
    // A commit resolves only when the disk has it, not as soon as other readers can see it.
    overlappingSync: false,
  });
  const get = (key: string) => db.get(key);
  /** Whether this turn of the event loop has its own snapshot. */
  let isFresh = false;
  let pending: PendingCommit[] = [];
  return {
    name: "lmdb",
    hasItem: (key) => read(key) !== null,
    getItem: read,
    getItemRaw: read,
    setItem: async (key, value) => void (await db.put(key, value)),
    removeItem: async (key) => void (await db.remove(key)),
    getKeys: () => (freshen(), [...db.getKeys()]),
    dispose: () => db.close(),
    async commit(changes) {
      refuseLongKeys(changes);
      return new Promise<boolean>((resolve, reject) => {
        pending.push({ changes, resolve, reject });
        if (pending.length === 1) void commitPending();
      });
    },
    async list({ from, before, limit, reverse = false }: Range) {
      freshen();
      return reverse ? listBackwards({ from, before, limit }) : listForwards({ from, before, limit });
    },
    async count({ from, before }) {
      freshen();
      return db.getKeysCount({ start: from, end: before });
    },
    refresh,
  };

  function read(key: string): string | null {
    freshen();
    return get(key) ?? null;
  }

  /** lmdb holds on to a snapshot until a timer runs, while what asks for it may come from who has written since. */
  function freshen(): void {
    if (isFresh) return;
    isFresh = true;
    setImmediate(() => (isFresh = false));
    refresh();
  }

  function refresh(): void {
    db.resetReadTxn();
  }

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

  function listForwards({ from, before, limit }: Range): [string, string][] {
    return [...db.getRange({ start: from, end: before, limit })].map(({ key, value }) => [key, value]);
  }

  /** LMDB's backward ranges begin at their start, included, while ours leave `before` out. */
  function listBackwards({ from, before, limit }: Range): [string, string][] {
    const entries: [string, string][] = [];
    for (const { key, value } of db.getRange({ start: before, reverse: true, limit: limit + 1 })) {
      if (key < from || entries.length === limit) break;
      if (key < before) entries.push([key, value]);
    }
    return entries;
  }
}
