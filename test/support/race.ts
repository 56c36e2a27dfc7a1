import { expect } from "vitest";
import { decodeKey } from "../../server/storage/keys.ts";
import { startApp, type Answer, type TestApp } from "./app.ts";
import { steppedDriver } from "./gated-driver.ts";
import { temporaryStore } from "./temporary-store.ts";

/** A request, and what gets in its way. */
export interface Race {
  call: () => Promise<Answer>;
  meanwhile: () => Promise<unknown>;
}

/** How a request ended in whose way something got. */
export interface Outcome {
  answer: Answer;
  /** Whether the request itself has written anything. */
  hasWritten: boolean;
}

/**
 * Runs a race for each read and commit of a request, each on a store of its own, with `meanwhile` right before that
 * step. In the last race it comes too late.
 */
export async function racesAtEachStep(begin: (app: TestApp) => Promise<Race>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let isOver = false; !isOver;) {
    const { isLate, ...outcome } = await raceAtStep(outcomes.length, begin);
    outcomes.push(outcome);
    isOver = isLate;
  }
  return outcomes;
}

async function raceAtStep(at: number, begin: (app: TestApp) => Promise<Race>) {
  let onStep: () => Promise<void> | void = () => {};
  let onWrite: () => void = () => {};
  const { store } = await temporaryStore("memory", (driver) => {
    const stepped = steppedDriver(driver, async () => onStep());
    return {
      ...stepped,
      async commit(changes) {
        const isDone = await stepped.commit(changes);
        // A lease of ids is no change that anybody asked for.
        const isLease = changes.puts.every(([key]) => decodeKey(key)[1] === "ids");
        if (isDone && !isLease) onWrite();
        return isDone;
      },
    };
  });
  const app = await startApp("memory", { store });
  const { call, meanwhile } = await begin(app);
  let stepsLeft = at;
  let isMeanwhile = false;
  let hasWritten = false;
  onWrite = () => void (hasWritten ||= !isMeanwhile);
  onStep = async () => {
    if (isMeanwhile || stepsLeft-- !== 0) return;
    isMeanwhile = true;
    await meanwhile();
    isMeanwhile = false;
  };
  const answer = await call();
  expect(app.bugs).toEqual([]);
  await app.close();
  return { answer, hasWritten, isLate: stepsLeft >= 0 };
}
