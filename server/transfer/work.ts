import { randomUUID } from "node:crypto";
import { Failure } from "../failure.ts";
import type { AtomicDriver, Changes } from "../storage/driver.ts";
import { LAYOUT, MARK_KEY, readMark, STAGES, type UnderWay } from "../storage/layout.ts";

/**
 * Work on a whole store, which nobody may use until it is done: its mark comes first and leaves last. Only one
 * process does it at a time, because each commit checks the mark.
 */
export interface Work {
  /** How far it has come. */
  state: UnderWay;
  /** Writes changes, and in the same commit the progress. */
  commit(changes: Partial<Changes>, progress?: Partial<UnderWay>): Promise<void>;
  /** Removes the mark, so that the store may be used. */
  finish(): Promise<void>;
}

/** Begins work on a store, or takes it over from the process that did it before. */
export async function beginWork(driver: AtomicDriver, begun: Omit<UnderWay, "by">): Promise<Work> {
  let { text } = await readMark(driver);
  // Only a rebuild leaves the records as they are.
  const version = begun.work === "rebuild" ? begun.layout : LAYOUT;
  const work: Work = {
    state: { ...begun, by: randomUUID() },
    async commit(changes, progress = {}) {
      const state = { ...work.state, ...progress };
      await write(changes, JSON.stringify({ version, underWay: state }));
      work.state = state;
    },
    finish: () => write({}, JSON.stringify({ version })),
  };

  async function write(
    { puts = [], removes = [], sums = [] }: Partial<Changes>,
    mark: string,
  ): Promise<void> {
    const checks: Changes["checks"] = [[MARK_KEY, text]];
    if (!(await driver.commit({ checks, puts: [...puts, [MARK_KEY, mark]], removes, sums }))) {
      throw new Failure("conflict", "Another process has begun to work on the store");
    }
    text = mark;
  }

  await work.commit({});
  return work;
}

/** Runs the remaining stages. Each of them may be interrupted and started again. */
export async function runStages(
  work: Work,
  stages: Partial<Record<UnderWay["stage"], () => Promise<void>>>,
): Promise<void> {
  for (const stage of STAGES.slice(STAGES.indexOf(work.state.stage))) {
    if (stages[stage] === undefined) continue;
    if (work.state.stage !== stage) await work.commit({}, { stage });
    await stages[stage]();
  }
  await work.finish();
}
