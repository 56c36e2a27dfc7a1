import { chownSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

const OWNER_ONLY = 0o700;

/** Makes a folder and its missing parents, readable only by their owner. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  // Recursive, so that it does not fail if another process has just made the folder.
  mkdirSync(folder, { mode: OWNER_ONLY, recursive: true });
  giveToFolderOwner(folder);
}

/**
 * Gives a new file to the owner of its folder. Otherwise a command run by root would leave files that the
 * service's own user can't open.
 */
export function giveToFolderOwner(path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}
