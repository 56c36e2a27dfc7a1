import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { giveToFolderOwner } from "./owner.ts";

/** Files hold personal data or secrets, so only their owner may read them. */
const OWNER_ONLY = 0o600;

/**
 * Makes a file that gets its name only when all of it is on disk. `write` gets the path to write to. A process that is killed
 * meanwhile leaves `NAME.unfinished-…`, which the next attempt removes.
 *
 * @throws Error in one sentence if there is a file of that name, or no folder for it
 */
export async function makeWhole(file: string, write: (path: string) => Promise<unknown>): Promise<void> {
  if (file === "") throw new Error("The file needs a name");
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}`);
  if (existsSync(file)) throw new Error(`${file} already exists`);
  await removeUnfinished(dirname(file), (name) => name === basename(file));
  const path = begin(file);
  try {
    await write(path);
    if (!finish(path, file)) throw new Error(`${file} already exists`);
  } finally {
    rmSync(path, { force: true });
  }
}

/** Removes what killed processes have left of some files in a folder. */
export async function removeUnfinished(folder: string, isMeant: (name: string) => boolean): Promise<void> {
  for (const entry of await readdir(folder)) {
    const [name = "", rest] = entry.split(UNFINISHED);
    if (rest !== undefined && isMeant(name)) await rm(join(folder, entry), { recursive: true });
  }
}

/**
 * The same as `makeWhole` without waiting. Several processes may do this at the same time, and one of them makes the
 * file. So what a killed one leaves is not removed: it may belong to a process that still writes.
 */
export function makeWholeSync(file: string, write: (path: string) => void): void {
  const path = begin(file);
  try {
    write(path);
    finish(path, file);
  } finally {
    rmSync(path, { force: true });
  }
}

/** The name of an unfinished file has this after its later name. */
export const UNFINISHED = ".unfinished-";

/** Makes an empty file beside the later one. */
function begin(file: string): string {
  const path = `${file}${UNFINISHED}${randomBytes(6).toString("hex")}`;
  closeSync(openSync(path, "wx", OWNER_ONLY));
  giveToFolderOwner(path);
  return path;
}

/** Puts a written file on disk and gives it its name, unless another file has it. Returns whether it did. */
export function finish(path: string, file: string): boolean {
  sync(path, "r+");
  try {
    // Unlike a renaming, it never replaces a file.
    linkSync(path, file);
  } catch {
    if (existsSync(file)) return false;
    // The file system has no links, for example FAT.
    renameSync(path, file);
  }
  syncFolder(dirname(file));
  return true;
}

/** Puts the names of a folder's files on disk. Windows can't, and does not need it. */
function syncFolder(folder: string): void {
  if (process.platform !== "win32") sync(folder, "r");
}

function sync(path: string, flags: "r" | "r+"): void {
  const opened = openSync(path, flags);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
