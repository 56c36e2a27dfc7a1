import { Failure } from "../../server/failure.ts";
import type { Engine, Reads, Session } from "../../server/storage/session.ts";

/** When a process is killed. */
export interface Death {
  /** How many commits it still makes. */
  afterCommits: number;
  /** Whether its last commit is written, although its caller is not told. */
  isWritten: boolean;
}

/** The engine of a process that can be killed. What it has written lives on. */
export interface MortalEngine {
  engine: Engine;
  kill(death: Death): void;
  isDead(): boolean;
}

/** Makes the engine of a new process over an engine that outlives it. Transactions that write nothing don't count as commits. */
export function mortalEngine(lasting: Engine): MortalEngine {
  let death: Death | null = null;
  let commitCount = 0;
  let isDead = false;

  function live<A extends unknown[], T>(work: (...given: A) => T): (...given: A) => T {
    return (...given) => {
      if (isDead) throw killed();
      return work(...given);
    };
  }

  async function transact<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let isLast = false;
    const result = await lasting.transact(async (session) => {
      if (isDead && !isLast) throw killed();
      const { watched, hasWritten } = watch(session);
      const done = await work(watched);
      if (!hasWritten() || death === null || commitCount++ < death.afterCommits) return done;
      isDead = isLast = true;
      if (!death.isWritten) throw killed();
      return done;
    });
    if (isDead) throw killed();
    return result;
  }

  const { reads } = lasting;
  return {
    engine: {
      ...lasting,
      reads: { ...reads, ...aliveReads(reads, live) },
      snapshot: live(lasting.snapshot),
      nextId: live(lasting.nextId),
      transact,
    },
    kill(given) {
      death = given;
      commitCount = 0;
    },
    isDead: () => isDead,
  };
}

/** The engine of a process that is killed at one of its commits, counted from 0, before that is written. */
export function dyingAt(engine: Engine, cutAt: number): Engine {
  const mortal = mortalEngine(engine);
  mortal.kill({ afterCommits: cutAt, isWritten: false });
  return mortal.engine;
}

type Live = <A extends unknown[], T>(work: (...given: A) => T) => (...given: A) => T;

function aliveReads({ get, find, all, ask }: Reads, live: Live) {
  return { get: live(get), find: live(find), all: live(all), ask: live(ask) };
}

/** A session that knows whether anything was written. */
function watch(session: Session): { watched: Session; hasWritten: () => boolean } {
  let hasWritten = false;
  const noting =
    <A extends unknown[], T>(work: (...given: A) => T) =>
    (...given: A): T => {
      hasWritten = true;
      return work(...given);
    };
  const { write, remove, run, define, addUp } = session;
  const watched = {
    ...session,
    write: noting(write),
    remove: noting(remove),
    run: noting(run),
    define: noting(define),
    addUp: noting(addUp),
  };
  return { watched, hasWritten: () => hasWritten };
}

function killed(): Failure {
  return new Failure("unavailable", "The process was killed");
}
