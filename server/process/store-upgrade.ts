import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { isOlder, readMark } from "../storage/layout.ts";
import { upgradeWithBackup } from "../transfer/upgrade-backup.ts";

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
