import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { AtomicDriver } from "../storage/driver.ts";
import { isOlder, readMark } from "../storage/layout.ts";
import { upgradeWithBackup } from "../transfer/upgrade-backup.ts";

/** Moves a store that an earlier release laid out on to this one's layout, with a backup first. */
export async function moveOn(driver: AtomicDriver, { storageUrl }: Config, log: Logger): Promise<void> {
  const { mark } = await readMark(driver);
  // One that was cut short may be another server's work: an operator says who goes on.
  if (!isOlder(mark)) return;
  log.info("the store is moved on to this release's layout");
  const backup = await upgradeWithBackup(driver, {
    url: storageUrl,
    now: new Date(),
    onProgress: ({ what, entries }) => log.info({ entries }, what),
  });
  log.info({ backup }, "the store was moved on");
}
