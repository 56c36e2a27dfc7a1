import { Failure } from "../failure.ts";
import { isKnown, LAYOUT, readMark, type Mark } from "./layout.ts";
import type { Engine } from "./session.ts";

/** How old a process's knowledge of the mark may be when it commits. */
const TRUST_MS = 2_000;

/**
 * An engine that knows its store's layout, and stops committing once a later release takes the store over.
 */
export interface WatchedEngine extends Engine {
  /** The layout to write. It rises when `tidemark upgrade` runs after all servers were replaced. */
  layout(): number;
  /** Reads the mark. Resolves to the reason why this process may no longer use the store, or null. */
  look(): Promise<string | null>;
}

/**
 * Makes an engine that watches the layout mark. If each commit checked the mark, all accounts would wait for
 * each other. Instead, each process checks it periodically, and an upgrade waits longer than that before it
 * changes anything.
 */
export function watchLayout(
  engine: Engine,
  elapsedMs: () => number = () => performance.now(),
): WatchedEngine {
  let layout = LAYOUT;
  let lookedAt = -Infinity;
  let obstacle: string | null = null;

  async function look(): Promise<string | null> {
    const at = elapsedMs();
    const { mark } = await readMark(engine.reads);
    lookedAt = at;
    obstacle = mark === null ? null : obstacleIn(mark);
    if (mark !== null && obstacle === null) layout = mark.version;
    return obstacle;
  }

  return {
    ...engine,
    layout: () => layout,
    look,
    async transact(work) {
      if (elapsedMs() - lookedAt > TRUST_MS) await look();
      if (obstacle === null) return engine.transact(work);
      throw new Failure("unavailable", `${obstacle}: this process stops`);
    },
  };
}

function obstacleIn(mark: Mark): string | null {
  if (isKnown(mark)) return null;
  const work = mark.underWay?.work ?? "upgrade";
  if (work === "upgrade") return "A later release of Tidemark takes the store over";
  return `Another process works on the whole store (${work})`;
}
