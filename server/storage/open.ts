import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { lmdbDriver } from "./drivers/lmdb.ts";
import { memoryDriver } from "./drivers/memory.ts";
import { newStore, type Store } from "./store.ts";

/**
 * Opens the store that a `STORAGE_URL` names: `memory:`, or `lmdb:` with a folder, which is made when
 * it does not exist.
 *
 * @throws Error for any other scheme
 */
export async function openStore(url: string): Promise<Store> {
  if (url === "memory:") return newStore(memoryDriver());
  const folder = /^lmdb:(.+)$/.exec(url)?.[1];
  if (folder === undefined) {
    throw new Error(`STORAGE_URL ${url.split(":")[0]}: is unknown; use lmdb:./folder or memory:`);
  }
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  return newStore(lmdbDriver(path));
}
