import type { AtomicDriver } from "./driver.ts";

/** What was asked of a driver since it was opened. */
export interface CommitCounts {
  commits: number;
  /** Commits that were refused, as others had changed what they were founded on. */
  conflicts: number;
}

/** The same driver, which adds what it does to `counts`. */
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
