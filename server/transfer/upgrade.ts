import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../failure.ts";
import {
  checkLayout,
  isOlder,
  LAYOUT,
  readMark,
  replaceMark,
  type Mark,
  type ReadMark,
} from "../storage/layout.ts";
import { MIGRATIONS, type Migration } from "../storage/migrations.ts";
import { folderOf } from "../storage/open.ts";
import type { Engine } from "../storage/session.ts";
import { SQLITE } from "../storage/sql.ts";
import { exportFolder, MANIFEST } from "./export.ts";
import type { Progress } from "./progress.ts";

interface Upgrading {
  /** The store's STORAGE_URL. */
  url: string;
  now: Date;
  onProgress: Progress;
  /** The new folder of the backup. Null for one in the store's folder, or in the current folder for a database. */
  folder?: string | null;
}

/**
 * Runs the migrations that a store of an earlier release lacks, after a backup. They are one transaction, so a process that is
 * killed leaves the store as it was.
 *
 * @returns the backup's folder, or null if the store was up to date
 * @throws Failure `refused` for a store that others use or that this release doesn't know, and Error if the backup can't be
 *   written
 */
export async function upgradeStore(
  engine: Engine,
  { url, now, onProgress, folder = null }: Upgrading,
): Promise<string | null> {
  const seen = await readOlder(engine);
  if (seen === null) return null;
  if (await engine.isShared())
    throw new Failure(
      "refused",
      "Another server or command uses the store, and this release must upgrade it first: stop all servers, then start this one",
    );
  const backup = folder ?? backupFolder(url, now);
  // No other process upgrades the store now.
  if (folder === null) await removeUnfinished(dirname(backup));
  await exportFolder(engine, { folder: backup, secrets: "sealed", onProgress });
  await engine.transact(async (session) => {
    // First, so that of two upgrades at the same moment only one changes tables.
    if (!(await replaceMark(session, seen, { version: LAYOUT })))
      throw new Failure("conflict", "Another process has begun to work on the store");
    for (const migration of missingIn(seen.mark)) {
      for (const statement of session.dialect === SQLITE ? migration.sqlite : migration.postgres)
        await session.define(statement);
    }
  });
  return backup;
}

/** Describes in sentences what an upgrade would do. It writes nothing. */
export async function planUpgrade(
  engine: Engine,
  { url, now }: Pick<Upgrading, "url" | "now">,
): Promise<string[]> {
  const seen = await readOlder(engine);
  if (seen === null) return ["Nothing has to be done: the store has the layout of this release."];
  return [
    `The store has layout ${seen.mark.version}, and this release needs layout ${LAYOUT}. It can't be used during the upgrade:`,
    ...missingIn(seen.mark).map(({ about }) => `- ${about}`),
    `Before that, a backup of all records is written to ${backupFolder(url, now)}.`,
    (await engine.isShared())
      ? "Another server or command uses the store now: stop all servers first."
      : "No other server or command uses the store now.",
  ];
}

/**
 * The mark of a store that must be upgraded, or null if it has this release's layout.
 *
 * @throws Failure `refused` for any other store
 */
async function readOlder(engine: Engine): Promise<(ReadMark & { mark: Mark }) | null> {
  const { text, mark } = await readMark(engine.reads);
  if (mark?.underWay === undefined && isOlder(mark)) return { text, mark };
  await checkLayout(engine);
  return null;
}

/** The migrations that a store lacks. */
function missingIn({ version }: Mark): readonly Migration[] {
  return MIGRATIONS.slice(version - 1);
}

/** The beginning of the name of a backup. */
const BACKUP = "before-upgrade-";

/** The default folder of the backup: in the store's folder, or in the current folder for a database. */
function backupFolder(url: string, now: Date): string {
  const name = `${BACKUP}${now.toISOString().replaceAll(":", "-")}`;
  return join(folderOf(url) ?? ".", name);
}

/** Removes the backups that killed upgrades have left. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (name.startsWith(BACKUP) && !existsSync(join(path, MANIFEST))) await rm(path, { recursive: true });
  }
}
