import { open } from "lmdb";
import { Failure } from "../../failure.ts";
import type { AtomicDriver, Changes } from "../driver.ts";
import { isScattered } from "../keys.ts";
import { EVERYTHING } from "../snapshot.ts";
import { knownTexts } from "./lmdb/known-texts.ts";
import { count, list } from "./lmdb/lists.ts";
import { newLog, type LayerLimits } from "./lmdb/log.ts";
import { snapshot } from "./lmdb/snapshot.ts";
import { newView, type Parts } from "./lmdb/view.ts";
import { newWriter, written } from "./lmdb/writer.ts";

const NOTHING: Changes = { checks: [], puts: [], removes: [], sums: [] };

/** What is logged before it is merged into the tree; all who open a store must say the same. */
interface Logging {
  isLogged(key: string): boolean;
  limits?: LayerLimits;
}

/**
 * Keeps everything in an LMDB folder, which any number of processes on this machine may share. That is why
 * lmdb is 2.9.4 exactly: from 3.0 on, each process remembers free pages, and two of them destroyed stores.
 */
export function lmdbDriver(
  path: string,
  { isLogged, limits }: Logging = { isLogged: isScattered },
): AtomicDriver {
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
  const log = newLog(db, limits);
  const parts: Parts = { db, log, known: knownTexts(), isLogged };
  const view = newView(parts);
  const commit = newWriter(parts, view);
  const { read, now, freshen, refresh } = view;
  return {
    name: "lmdb",
    hasItem: (key) => read(key) !== null,
    getItem: read,
    getItemRaw: read,
    setItem: async (key, value) => void (await commit({ ...NOTHING, puts: [[key, value]] })),
    removeItem: async (key) => void (await commit({ ...NOTHING, removes: [key] })),
    getKeys: () => list(now(), { ...EVERYTHING, limit: Infinity }).map(([key]) => key),
    dispose: () => db.close(),
    commit,
    list: async (range) => list(now(), range),
    count: async (range) => count(now(), range),
    refresh,
    snapshot: () => snapshot(view.hold),
    async backup(folder) {
      await settle().catch(passOverFullDisk);
      await db.backup(folder, true);
    },
  };

  /** Merges all that is logged by now, so that nothing is kept of what was removed. */
  async function settle(): Promise<void> {
    freshen();
    const until = log.last();
    for (let isDone = false; !isDone; refresh()) {
      freshen();
      isDone = await written(db, () => log.settle(until));
    }
  }
}

/** A store that has no room left is worth a backup all the more, though its log is in that as well. */
function passOverFullDisk(error: unknown): void {
  if (!(error instanceof Failure && error.kind === "unavailable")) throw error;
}
