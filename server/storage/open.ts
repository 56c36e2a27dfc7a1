import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { countedDriver, type CommitCounts } from "./counted.ts";
import type { AtomicDriver } from "./driver.ts";
import { lmdbDriver } from "./drivers/lmdb.ts";
import { memoryDriver } from "./drivers/memory.ts";
import { newStore, type Store } from "./store.ts";

/**
 * Opens the store that a `STORAGE_URL` names: `memory:`, or `lmdb:` with a folder, which is made when
 * it does not exist. What it commits is added to `counts`.
 *
 * @throws Error for any other scheme
 */
export async function openStore(url: string, counts?: CommitCounts): Promise<Store> {
  const driver = await openDriver(url);
  return newStore(counts === undefined ? driver : countedDriver(driver, counts));
}

/** Opens the driver that a `STORAGE_URL` names, for what deals with items as such. @throws Error for any other scheme */
export async function openDriver(url: string): Promise<AtomicDriver> {
  if (url === "memory:") return memoryDriver();
  const folder = /^lmdb:(.+)$/.exec(url)?.[1];
  if (folder === undefined) {
    throw new Error(`STORAGE_URL ${url.split(":")[0]}: is unknown; use lmdb:./folder or memory:`);
  }
  const path = resolve(folder);
  mkdirSync(path, { recursive: true });
  return lmdbDriver(path);
}
