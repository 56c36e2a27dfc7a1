import { mkdirSync } from "node:fs";
import type { AtomicDriver } from "../../server/storage/driver.ts";
import { lmdbDriver } from "../../server/storage/drivers/lmdb.ts";
import { openDriver as open, storeOn } from "../../server/storage/open.ts";
import type { Store } from "../../server/storage/store.ts";

/** An LMDB driver that logs all keys before it merges them, which it does after a few of them. */
export function loggedDriver(folder: string): AtomicDriver {
  mkdirSync(folder, { recursive: true });
  return lmdbDriver(folder, { isLogged: () => true, limits: { keys: 8, records: 5 } });
}

/** Opens what a server does, or for `logged:` and a folder such a driver. */
export async function openDriver(url: string): Promise<AtomicDriver> {
  const folder = /^logged:(.+)$/.exec(url)?.[1];
  return folder === undefined ? open(url) : loggedDriver(folder);
}

/** Opens a store on such a driver. */
export async function openStore(url: string): Promise<Store> {
  return storeOn(await openDriver(url));
}
