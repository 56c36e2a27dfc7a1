import { randomUUID } from "node:crypto";
import { Failure } from "../failure.ts";
import { LAYOUT, readMark, replaceMark, STAGES, type Mark, type UnderWay } from "../storage/layout.ts";
import type { Engine, Session } from "../storage/session.ts";

/**
 * Work on a whole store, which can't be used until it is done: the mark is written first and removed last. Only one process
 * works at a time, because each commit replaces the mark of the one before.
 */
export interface Work {
  engine: Engine;
  /** The progress. */
  state: UnderWay;
  /** Commits changes together with the progress. */
  commit(change: (session: Session) => Promise<void>, progress?: Partial<UnderWay>): Promise<void>;
}

/** Starts work on a store, or takes it over from an earlier process, and runs the remaining stages. */
export async function work(
  engine: Engine,
  begun: Omit<UnderWay, "by">,
  stages: Partial<Record<UnderWay["stage"], (work: Work) => Promise<void>>>,
): Promise<void> {
  let seen = await readMark(engine.reads);
  const work: Work = {
    engine,
    state: { ...begun, by: randomUUID() },
    async commit(change, progress = {}) {
      const state = { ...work.state, ...progress };
      await write(change, { version: LAYOUT, underWay: state });
      work.state = state;
    },
  };

  async function write(change: (session: Session) => Promise<void>, mark: Mark): Promise<void> {
    await engine.transact(async (session) => {
      if (!(await replaceMark(session, seen, mark)))
        throw new Failure("conflict", "Another process has begun to work on the store");
      await change(session);
    });
    seen = { text: JSON.stringify(mark), mark };
  }

  await work.commit(nothing);
  for (const stage of STAGES.slice(STAGES.indexOf(begun.stage))) {
    if (stages[stage] === undefined) continue;
    if (work.state.stage !== stage) await work.commit(nothing, { stage });
    await stages[stage](work);
  }
  await write(nothing, { version: LAYOUT });
}

async function nothing(): Promise<void> {}
