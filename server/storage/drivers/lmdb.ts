import { open } from "lmdb";
import { applyChanges, refuseLongKeys, type AtomicDriver, type Range } from "../driver.ts";

/** Keeps everything in an LMDB folder, which any number of processes on this machine may share. */
export function lmdbDriver(path: string): AtomicDriver {
  const db = open<string, string>({
    path,
    encoding: "string",
    // A commit resolves only when the disk has it, not as soon as other readers can see it.
    overlappingSync: false,
  });
  const get = (key: string) => db.get(key);
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
      // The callbacks of many commits run within one write transaction and share its sync.
      return db.transaction(() => {
        if (!changes.checks.every(([key, seen]) => (get(key) ?? null) === seen)) return false;
        applyChanges(changes, {
          put: (key, value) => void db.put(key, value),
          remove: (key) => void db.remove(key),
          get,
        });
        return true;
      });
    },
    async list({ from, before, limit, reverse = false }: Range) {
      return reverse ? listBackwards({ from, before, limit }) : listForwards({ from, before, limit });
    },
    async count({ from, before }) {
      return db.getKeysCount({ start: from, end: before });
    },
  };

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
