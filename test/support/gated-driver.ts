import type { AtomicDriver, Changes } from "../../server/storage/driver.ts";

/** The same driver, before each commit of which something else may happen. */
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

/** The same driver, before each read and commit of which something else may happen, as with a store that is far away. */
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
