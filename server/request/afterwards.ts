import type { Logger } from "pino";

/** Work that is done after an answer, so that the time of the answer does not tell what was done. */
export interface Afterwards {
  run(work: () => Promise<void>): void;
  /** Resolves when all of it is done. */
  settle(): Promise<void>;
}

/** Makes the list of work under way. Errors are logged, because nobody waits for them. */
export function newAfterwards(log: Logger): Afterwards {
  const underWay = new Set<Promise<void>>();
  return {
    run(work) {
      const done = new Promise((next) => void setImmediate(next))
        .then(work)
        .catch((error: unknown) => log.error({ err: error }, "work after an answer failed"))
        .finally(() => void underWay.delete(done));
      underWay.add(done);
    },
    async settle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
