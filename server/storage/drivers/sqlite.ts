import { statSync } from "node:fs";
import { refuseLongKeys, type AtomicDriver, type Changes } from "../driver.ts";
import { onlyOnce, plainItems } from "../plain-items.ts";
import { newCommitter } from "./sqlite/committer.ts";
import { backUp, damageIn, snapshot } from "./sqlite/copies.ts";
import { fileIn, isShared, openDatabase } from "./sqlite/database.ts";
import { newView } from "./sqlite/view.ts";

/**
 * Keeps everything in a SQLite file in a folder, which any number of processes on this machine may share.
 * Reads return at once. Commits run on a separate thread, because they wait for the disk. `notify` gets a sentence if the
 * file is a copy without its log.
 *
 * @throws Error in one sentence for a file that is damaged or belongs to another program
 */
export function sqliteDriver(
  folder: string,
  { notify = () => {} }: { notify?: (notice: string) => void } = {},
): AtomicDriver {
  const { db, missingLog } = openDatabase(folder);
  if (missingLog !== null) notify(missingLog);
  const file = fileIn(folder);
  const { read, list, count, keys, refresh } = newView(db, file);
  const committer = newCommitter(file, refresh);
  return {
    name: "sqlite",
    ...plainItems({ getItem: read, getKeys: keys, commit }),
    dispose: onlyOnce(async () => {
      refresh();
      await committer.close();
      refresh();
      db.close();
    }),
    commit,
    list: async (range) => list(range),
    count: async (range) => count(range),
    refresh,
    lacksRoom: committer.lacksRoom,
    async isShared() {
      refresh();
      return isShared(db);
    },
    snapshot: () => snapshot(file),
    backup: (target) => backUp(file, target),
    damage: async () => [...(missingLog === null ? [] : [missingLog]), ...damageIn(db)],
    size: async () => ({ bytes: sizeOf(file), logBytes: sizeOf(`${file}-wal`) }),
  };

  async function commit(changes: Changes): Promise<boolean> {
    refuseLongKeys(changes);
    return committer.commit(changes);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
