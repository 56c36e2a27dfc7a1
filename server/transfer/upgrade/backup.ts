import { join } from "node:path";
import type { AtomicDriver } from "../../storage/driver.ts";
import { folderOf } from "../../storage/open.ts";
import { exportEntries } from "../export.ts";
import { writeNewFile } from "../new-file.ts";
import type { Progress } from "../progress.ts";
import { upgradeStore } from "./upgrade.ts";

interface Upgrading {
  /** The store's STORAGE_URL. */
  url: string;
  now: Date;
  onProgress: Progress;
  /** Where to write the backup. null: in the store's folder, or in the current folder for a database. */
  file?: string | null;
}

/**
 * Upgrades a store of an earlier layout, after an export of everything in it.
 *
 * @returns the export's file. null: the store was up to date, or only an interrupted upgrade was left to
 *   finish
 * @throws Error if the backup can't be written; nothing is changed then
 */
export async function upgradeWithBackup(
  driver: AtomicDriver,
  { url, now, onProgress, file = null }: Upgrading,
): Promise<string | null> {
  let written: string | null = null;
  async function backUp(): Promise<void> {
    const path = file ?? backupFile(url, now);
    await writeNewFile(exportEntries(driver, { now, onProgress }), path);
    written = path;
  }
  await upgradeStore(driver, { backUp, onProgress });
  return written;
}

/** Where the backup goes by itself: into the store's folder, or into the current folder for a database. */
export function backupFile(url: string, now: Date): string {
  const name = `before-upgrade-${now.toISOString().replaceAll(":", "-")}.jsonl`;
  return join(folderOf(url) ?? ".", name);
}
