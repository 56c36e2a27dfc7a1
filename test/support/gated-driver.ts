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
