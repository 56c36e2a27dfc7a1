import type { AtomicDriver } from "./driver.ts";

/** How often a driver was called since it was opened. */
export interface CommitCounts {
  commits: number;
  /** Commits that were refused because others had changed something that they had read. */
  conflicts: number;
}

/** Wraps a driver so that it adds its work to `counts`. */
export function countedDriver(driver: AtomicDriver, counts: CommitCounts): AtomicDriver {
  return {
    ...driver,
    async commit(changes) {
      const isDone = await driver.commit(changes);
      if (isDone) counts.commits++;
      else counts.conflicts++;
      return isDone;
    },
  };
}
