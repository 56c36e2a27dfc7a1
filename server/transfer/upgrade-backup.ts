import { join } from "node:path";
import type { AtomicDriver } from "../storage/driver.ts";
import { folderOf } from "../storage/open.ts";
import { exportEntries } from "./export.ts";
import { writeNewFile } from "./new-file.ts";
import type { Progress } from "./progress.ts";
import { upgradeStore } from "./upgrade.ts";

interface Upgrading {
  /** Where the store is, as STORAGE_URL names it. */
  url: string;
  now: Date;
  onProgress: Progress;
  /** Where the backup goes to. null: into the store's folder, or for a database into the current folder. */
  file?: string | null;
}

/**
 * Moves a store of an earlier layout on, after an export of all that it holds.
 *
 * @returns the export's file, or null where there was nothing to do, or an upgrade was only to be finished
 * @throws Error for a backup that can't be written, before anything is changed
 */
export async function upgradeWithBackup(
  driver: AtomicDriver,
  { url, now, onProgress, file = null }: Upgrading,
): Promise<string | null> {
  let written: string | null = null;
  async function backUp(): Promise<void> {
    const name = `before-upgrade-${now.toISOString().replaceAll(":", "-")}.jsonl`;
    const path = file ?? join(folderOf(url) ?? ".", name);
    await writeNewFile(exportEntries(driver, { now, onProgress }), path);
    written = path;
  }
  await upgradeStore(driver, { backUp, onProgress });
  return written;
}
