import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { isOlder, LAYOUT, readMark } from "../storage/layout.ts";
import type { Store } from "../storage/store.ts";
import { upgradeWithBackup } from "../transfer/upgrade/backup.ts";

/** How often a server looks whether it may still use the store. */
const LOOK_MS = 1_000;

/** Upgrades a store that an earlier release made. It writes a backup first. */
export async function upgradeStoreAtStart(
  driver: AtomicDriver,
  { storageUrl }: Config,
  log: Logger,
): Promise<void> {
  const { mark } = await readMark(driver);
  // An unfinished upgrade may be running in another server, so an operator decides who continues it.
  if (!isOlder(mark)) return;
  log.info("the store is being upgraded to this release");
  const backup = await upgradeWithBackup(driver, {
    url: storageUrl,
    now: new Date(),
    onProgress: ({ what, entries }) => log.info({ entries }, what),
  });
  log.info({ backup }, "the store was upgraded");
}

/** Calls `onOutdated` when a later release takes the store over. */
export function watchStore(store: Store, log: Logger, onOutdated: () => void): void {
  if (store.layout() < LAYOUT) {
    log.warn("run `tidemark upgrade` when all servers of this store have this release");
  }
  setInterval(async () => {
    // While the store is away, nobody knows. Requests report that.
    if (await store.look().catch(() => true)) return;
    log.error("a later release takes the store over; this process stops");
    onOutdated();
  }, LOOK_MS).unref();
}
