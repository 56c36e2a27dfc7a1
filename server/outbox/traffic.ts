import { performance, type EventLoopUtilization } from "node:perf_hooks";

/** A process with fewer requests than this per second is never busy. */
const BUSY_PER_SECOND = 300;
/** With more requests, a process is busy if it spends at least this share of its time working. */
const BUSY_SHARE = 0.5;
const WINDOW_MS = 200;
/** That number for one window. */
const MANY = (BUSY_PER_SECOND * WINDOW_MS) / 1_000;

/** Counts requests, so that work that can wait lets them go first. */
export interface Traffic {
  count(): void;
  /**
   * Whether requests leave no time for other work.
   *
   * Other work adds to the load, so a window in which it runs may look busy. No other work runs in the next
   * window, which therefore shows the load of the requests alone. So other work gets at least half of the
   * time of a process with many requests, and almost none of an overloaded one.
   */
  isBusy(): boolean;
}

interface Options {
  /** A monotonic clock in milliseconds. */
  now?: () => number;
  /** The share of time that the process has worked since the last call. */
  workedShare?: () => number;
}

/** Makes a counter. */
export function newTraffic({
  now = () => performance.now(),
  workedShare = newLoopShare(),
}: Options = {}): Traffic {
  let windowBegan = now();
  let counted = 0;
  let last = { counted: 0, share: 0 };

  /** The result of the last whole window holds until the next window is over. */
  const turn = () => {
    const passed = Math.floor((now() - windowBegan) / WINDOW_MS);
    if (passed === 0) return;
    const share = workedShare();
    last = passed === 1 ? { counted, share } : { counted: 0, share: 0 };
    counted = 0;
    windowBegan += passed * WINDOW_MS;
  };
  return {
    count() {
      turn();
      counted += 1;
    },
    isBusy() {
      turn();
      if (last.counted >= MANY) return last.share >= BUSY_SHARE;
      // The requests have just begun. Until a whole window is over, only their number is known, not their load.
      return counted >= MANY;
    },
  };
}

function newLoopShare(): () => number {
  let before: EventLoopUtilization = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, before);
    before = current;
    return utilization;
  };
}
