/** Requests in a second from which on a process is busy with them. */
const BUSY_PER_SECOND = 300;
const WINDOW_MS = 200;

/** Counts requests, so that work that can wait gives way to them. */
export interface Traffic {
  count(): void;
  isBusy(): boolean;
}

/** Makes a counter; `now` is a monotonic clock in milliseconds. */
export function newTraffic(now: () => number = () => performance.now()): Traffic {
  let windowBegan = now();
  let counted = 0;
  let last = 0;

  /** Counts of the last whole window stand until the next one is over. */
  const turn = () => {
    const passed = Math.floor((now() - windowBegan) / WINDOW_MS);
    if (passed === 0) return;
    last = passed === 1 ? counted : 0;
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
      return Math.max(last, counted) >= (BUSY_PER_SECOND * WINDOW_MS) / 1_000;
    },
  };
}
