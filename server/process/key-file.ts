import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "../config.ts";
import { reasonOf } from "../failure.ts";
import { KEY_BYTES, newSeal, readKeys, type Seal } from "../seal.ts";
import { readItem } from "../storage/items.ts";
import { PROOF_KEY } from "../storage/layout.ts";
import { folderOf } from "../storage/open.ts";
import { giveToFolderOwner } from "../storage/owner.ts";
import type { Engine } from "../storage/session.ts";

type Keys = Pick<Config, "secretKeys" | "secretFile" | "storageUrl">;

/**
 * The seal of a store. If no key is configured and no process has used the store with one, a key is made, beside the
 * store but never in it, so that a copy of the store does not have it.
 *
 * @throws Error if the file of the key is missing, malformed, or can't be written
 */
export async function sealOf(
  engine: Engine,
  { secretKeys, secretFile, storageUrl }: Keys,
  notify: (notice: string) => void,
): Promise<Seal> {
  if (secretKeys.length > 0) return newSeal(secretKeys);
  // Such a store ends with the process.
  if (storageUrl === "memory:") return newSeal([randomBytes(KEY_BYTES)]);
  const file = resolve(secretFile ?? usualFile(storageUrl));
  const known = keysIn(file);
  if (known !== null) return newSeal(known);
  if ((await readItem(engine.reads, PROOF_KEY)) !== null)
    throw new Error(
      `the key of its secrets is missing: put ${file} back, or name it with TIDEMARK_SECRET_FILE`,
    );
  const keys = makeKeys(file);
  notify(
    `The key of the store's secrets was written to ${file}. Keep a copy apart from backups of the store: payout methods can't be read without it`,
  );
  return newSeal(keys);
}

/** The file of the key beside a store's folder, or for a database in the current folder. */
function usualFile(storageUrl: string): string {
  const folder = folderOf(storageUrl);
  return folder === undefined ? "tidemark.key" : `${resolve(folder)}.key`;
}

/** The keys in a file, or null if there is no file. @throws Error */
function keysIn(file: string): Buffer[] | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Error(`the key of its secrets can't be read: ${reasonOf(error)}`, { cause: error });
  }
  const keys = readKeys(text);
  if (keys === null) throw new Error(`${file} must be keys of ${KEY_BYTES} bytes in base64, one a line`);
  return keys;
}

/** Makes a file with a new key. @throws Error */
function makeKeys(file: string): Buffer[] {
  const key = randomBytes(KEY_BYTES);
  try {
    writeFileSync(file, `${key.toString("base64")}\n`, { mode: 0o600, flag: "wx" });
    giveToFolderOwner(file);
    return [key];
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return keysIn(file) ?? [key];
    throw new Error(
      `the key of its secrets can't be written (${reasonOf(error)}): name a file outside the store with TIDEMARK_SECRET_FILE`,
      { cause: error },
    );
  }
}
