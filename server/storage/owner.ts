import { chownSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const OWNER_ONLY = 0o700;

/** Makes a folder and those above it that are missing. Only its owner may read it. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  // Recursive, so that another process that has just made the folder is no fault.
  mkdirSync(folder, { mode: OWNER_ONLY, recursive: true });
  giveToFolderOwner(folder);
}

/**
 * Gives something new to the owner of the folder that it is in. A command that root runs would otherwise leave files that
 * the service's own user can't open.
 */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}
