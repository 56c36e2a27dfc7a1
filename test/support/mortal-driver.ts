import { Failure } from "../../server/failure.ts";
import type { AtomicDriver } from "../../server/storage/driver.ts";

/** When a process is killed. */
export interface Death {
  /** How many commits it still makes. */
  afterCommits: number;
  /** Whether its last commit is written, although nobody learns of it. */
  isWritten: boolean;
}

/** The driver of a process that can be killed. What it has written lives on. */
export interface MortalDriver {
  driver: AtomicDriver;
  kill(death: Death): void;
  isDead(): boolean;
}

/** Makes the driver of a new process over a driver that outlives it. */
export function mortalDriver(driver: AtomicDriver): MortalDriver {
  let death: Death | null = null;
  let commitCount = 0;
  let isDead = false;

  function live<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T {
    return (...given) => {
      if (isDead) throw killed();
      return work(...given);
    };
  }

  return {
    driver: {
      ...driver,
      getItem: live(driver.getItem),
      list: live(driver.list),
      count: live(driver.count),
      commit: live(async (changes) => {
        if (death === null || commitCount++ < death.afterCommits) return driver.commit(changes);
        isDead = true;
        if (death.isWritten) await driver.commit(changes);
        throw killed();
      }),
    },
    kill(given) {
      death = given;
      commitCount = 0;
    },
    isDead: () => isDead,
  };
}

function killed(): Failure {
  return new Failure("unavailable", "The process was killed");
}
