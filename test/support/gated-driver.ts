import type { AtomicDriver, Changes } from "../../server/storage/driver.ts";

/** Wraps a driver so that something else may happen before each commit. */
export function gatedDriver(
  driver: AtomicDriver,
  gate: (changes: Changes) => Promise<void> | void,
): AtomicDriver {
  return {
    ...driver,
    async commit(changes) {
      await gate(changes);
      return driver.commit(changes);
    },
  };
}

/** Wraps a driver so that something else may happen before each read and commit, as with a remote store. */
export function steppedDriver(
  driver: AtomicDriver,
  step: (kind: "read" | "commit") => Promise<void>,
): AtomicDriver {
  return {
    ...gatedDriver(driver, () => step("commit")),
    async getItem(key) {
      await step("read");
      return driver.getItem(key);
    },
    async list(range) {
      await step("read");
      return driver.list(range);
    },
  };
}
