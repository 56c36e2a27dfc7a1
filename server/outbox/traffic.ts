import { performance, type EventLoopUtilization } from "node:perf_hooks";

/** Requests in a second below which a process is never busy with them. */
const BUSY_PER_SECOND = 300;
/** Share of its time that a process works from which on it is, with so many. */
const BUSY_SHARE = 0.5;
const WINDOW_MS = 200;
/** In a window. */
const MANY = (BUSY_PER_SECOND * WINDOW_MS) / 1_000;

/** Counts requests, so that work that can wait gives way to them. */
export interface Traffic {
  count(): void;
  /**
   * Whether requests leave no time for more. What gives way is work too, and fills the windows that it is free
   * in: the window after such a one shows what requests take alone. So it gets half of the time, at least, of a
   * process that has much to answer, and next to none of one that can do no more.
   */
  isBusy(): boolean;
}

interface Options {
  /** A monotonic clock, in milliseconds. */
  now?: () => number;
  /** The share of its time that the process has worked since this was last asked. */
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

  /** What was found in the last whole window stands until the next one is over. */
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
      // They have just begun: until a whole window of them is over, nobody knows what they take.
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
