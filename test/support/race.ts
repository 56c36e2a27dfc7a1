import { expect } from "vitest";
import { decodeKey } from "../../server/storage/keys.ts";
import { startApp, type Answer, type TestApp } from "./app.ts";
import { steppedDriver } from "./gated-driver.ts";
import { temporaryStore, type TemporaryStore } from "./temporary-store.ts";

/** A request or an operation, and what interferes with it. */
export interface Race<A = Answer> {
  call: () => Promise<A>;
  meanwhile: () => Promise<unknown>;
  /** What to look at in the store at the end. */
  look?: (stored: TemporaryStore) => Promise<unknown>;
}

/** The result of a request that something interfered with. */
export interface Outcome<A = Answer> {
  answer: A;
  seen?: unknown;
  /** Whether the request itself has written anything. */
  hasWritten: boolean;
}

type Begin<A> = (app: TestApp) => Promise<Race<A>>;

/**
 * Runs a race for each read and commit of a request, each on a new store. `meanwhile` runs right before that
 * step. In the last race it comes too late.
 */
export function racesAtEachStep<A>(begin: Begin<A>): Promise<Outcome<A>[]> {
  return races(begin, { isStep: () => true });
}

/** The same, but only for commits. */
export function racesAtEachCommit<A>(begin: Begin<A>): Promise<Outcome<A>[]> {
  return races(begin, { isStep: (kind) => kind === "commit" });
}

interface Steps {
  isStep: (kind: "read" | "commit") => boolean;
}

async function races<A>(begin: Begin<A>, steps: Steps): Promise<Outcome<A>[]> {
  const outcomes: Outcome<A>[] = [];
  for (let isOver = false; !isOver;) {
    const { isLate, ...outcome } = await raceAtStep(begin, { ...steps, at: outcomes.length });
    outcomes.push(outcome);
    isOver = isLate;
  }
  return outcomes;
}

async function raceAtStep<A>(begin: Begin<A>, { at, isStep }: Steps & { at: number }) {
  let onStep: () => Promise<void> | void = () => {};
  let onWrite: () => void = () => {};
  const temporary = await temporaryStore("memory", (driver) => {
    const stepped = steppedDriver(driver, async (kind) => {
      if (isStep(kind)) await onStep();
    });
    return {
      ...stepped,
      async commit(changes) {
        const isDone = await stepped.commit(changes);
        // A lease of ids is not a change that a request makes.
        const isLease = changes.puts.every(([key]) => decodeKey(key)[1] === "ids");
        if (isDone && !isLease) onWrite();
        return isDone;
      },
    };
  });
  const app = await startApp("memory", { store: temporary.store });
  // Keys from a new address are looked up one after the other, so two requests would wait for each other for
  // ever.
  await app.v2("GET", "/campaigns");
  const { call, meanwhile, look } = await begin(app);
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
  const seen = await look?.(temporary);
  expect(app.bugs).toEqual([]);
  await app.close();
  return { answer, seen, hasWritten, isLate: stepsLeft >= 0 };
}
