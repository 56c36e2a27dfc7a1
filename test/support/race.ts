import { AsyncLocalStorage } from "node:async_hooks";
import { expect } from "vitest";
import { rounds } from "./rounds.ts";
import { startApp, type Answer, type TestApp } from "./app.ts";
import type { TemporaryStore } from "./temporary-store.ts";

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

/** A request of more steps is interfered with at this many of them, at equal distances. */
const MOST_RACES = rounds(8, Infinity);

type Begin<A> = (app: TestApp) => Promise<Race<A>>;

/**
 * Runs a race for each transaction of a request and each read outside of them (for some of many in a short run), each on the
 * same store as it was when the race began. `meanwhile` runs right before that step: transactions run one after the other, so
 * nothing comes between the parts of one. In the last race it doesn't run.
 */
export function racesAtEachStep<A>(begin: Begin<A>): Promise<Outcome<A>[]> {
  return races(begin, () => true);
}

/** The same, but only for transactions. */
export function racesAtEachTransaction<A>(begin: Begin<A>): Promise<Outcome<A>[]> {
  return races(begin, (kind) => kind === "transaction");
}

async function races<A>(
  begin: Begin<A>,
  isStep: (kind: "read" | "transaction") => boolean,
): Promise<Outcome<A>[]> {
  const noStep = { onStep: async () => {}, onWrite: () => {} };
  let { onStep, onWrite }: { onStep: () => Promise<void>; onWrite: () => void } = noStep;
  const app = await startApp("memory");
  const { stored } = app;
  const running = new AsyncLocalStorage<true>();
  stored.edge.transact = (work) => running.run(true, work);
  stored.edge.read = async (_, read) => {
    if (isStep("read") && running.getStore() === undefined) await onStep();
    return read();
  };
  stored.edge.begin = async () => {
    if (isStep("transaction")) await onStep();
  };
  stored.edge.commit = async () => onWrite();
  // Keys from a new address are looked up one after the other, so two requests would wait for each other for
  // ever.
  await app.v2("GET", "/campaigns");
  const { call, meanwhile, look } = await begin(app);
  const entries = await stored.entries();

  async function raceAt(step: number) {
    await stored.restore(entries);
    let stepCount = 0;
    let isMeanwhile = false;
    let hasWritten = false;
    onWrite = () => void (hasWritten ||= !isMeanwhile);
    onStep = async () => {
      if (isMeanwhile || stepCount++ !== step) return;
      isMeanwhile = true;
      await meanwhile();
      isMeanwhile = false;
    };
    const answer = await call();
    ({ onStep, onWrite } = noStep);
    const seen = await look?.(stored);
    expect(app.bugs).toEqual([]);
    return { outcome: { answer, seen, hasWritten }, stepCount };
  }

  const { outcome: undisturbed, stepCount } = await raceAt(Infinity);
  const outcomes: Outcome<A>[] = [];
  const stride = Math.max(1, Math.ceil(stepCount / MOST_RACES));
  for (let step = 0; step < stepCount; step += stride) outcomes.push((await raceAt(step)).outcome);
  await app.close();
  // Until then, Node looks at each promise of the process.
  running.disable();
  return [...outcomes, undisturbed];
}
