import type { AtomicDriver } from "../../server/storage/driver.ts";

/** The same driver, killed at one of its commits and dead from then on. */
export function dyingAt(driver: AtomicDriver, cutAt: number): AtomicDriver {
  let commits = 0;
  return {
    ...driver,
    async commit(changes) {
      if (commits++ >= cutAt) throw new Error("killed");
      return driver.commit(changes);
    },
  };
}
