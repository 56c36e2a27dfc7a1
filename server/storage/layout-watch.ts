import { Failure } from "../failure.ts";
import type { AtomicDriver } from "./driver.ts";
import { isKnown, LAYOUT, readMark } from "./layout.ts";

/** How old a process's knowledge of the mark may be when it commits. */
const TRUST_MS = 2_000;

/** A driver that knows the layout of its store, and commits nothing once a later release takes the store over. */
export interface WatchedDriver extends AtomicDriver {
  /** The layout to write. It grows when `tidemark upgrade` is run after all servers were replaced. */
  layout(): number;
  /** Reads the mark. false: this release may not use the store any more. */
  look(): Promise<boolean>;
}

/**
 * Makes a driver that watches the layout mark. If each commit checked the mark, those of all accounts would wait for each other. So a process looks
 * at it now and then, and an upgrade waits for longer than that before it changes anything.
 */
export function watchLayout(
  driver: AtomicDriver,
  elapsedMs: () => number = () => performance.now(),
): WatchedDriver {
  let layout = LAYOUT;
  let lookedAt = -Infinity;
  let isUsable = true;

  async function look(): Promise<boolean> {
    const at = elapsedMs();
    driver.refresh?.();
    const { mark } = await readMark(driver);
    lookedAt = at;
    isUsable = mark === null || isKnown(mark);
    if (mark !== null && isUsable) layout = mark.version;
    return isUsable;
  }

  return {
    ...driver,
    layout: () => layout,
    look,
    async commit(changes) {
      if (elapsedMs() - lookedAt > TRUST_MS) await look();
      if (isUsable) return driver.commit(changes);
      throw new Failure(
        "unavailable",
        "A later release of Tidemark takes the store over: this process stops",
      );
    },
  };
}
