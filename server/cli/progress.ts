import type { Engine } from "../storage/session.ts";
import type { Progress, Step } from "../transfer/progress.ts";
import { countRecords } from "../transfer/stored-items.ts";

const BAR_WIDTH = 30;
const REDRAW_MS = 100;
/** Without a terminal, one line per this many entries is written. */
const LINE_ENTRIES = 100_000;

/** The stream for progress, usually standard error, because standard output is for results. */
export interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows the progress of long work. */
export interface ProgressView {
  show: Progress;
  /** Ends the current line. */
  end(): void;
}

/** Shows a bar on a terminal, otherwise occasional lines. `total` is for steps without their own total. */
export function newProgressView(screen: Screen, total: number | null = null): ProgressView {
  return screen.isTTY ? bars(screen, total) : lines(screen);
}

/** The number of entries for the bar, or null without a terminal or if counting fails. */
export async function totalFor(screen: Screen, { reads }: Engine): Promise<number | null> {
  if (!screen.isTTY) return null;
  try {
    return await countRecords(reads);
  } catch {
    return null; // a missing bar must not stop the command
  }
}

function bars(screen: Screen, total: number | null): ProgressView {
  let latest: Step | null = null;
  let isDrawn = true;
  let drawnAt = 0;

  function draw(step: Step): void {
    screen.write(`\r${barOf(step.total === null ? { ...step, total } : step)}\u001B[K`);
    isDrawn = true;
    drawnAt = performance.now();
  }

  function end(): void {
    if (latest === null) return;
    if (!isDrawn) draw(latest);
    screen.write("\n");
    latest = null;
  }

  return {
    show(step) {
      if (latest?.what !== step.what) end();
      const isNew = latest === null;
      latest = step;
      isDrawn = false;
      if (isNew || performance.now() - drawnAt >= REDRAW_MS) draw(step);
    },
    end,
  };
}

function barOf({ what, entries, total }: Step): string {
  const counted = entries.toLocaleString("en");
  if (!total) return `${what} ${counted} entries`;
  // More entries may be written meanwhile.
  const part = Math.min(1, entries / total);
  const bar = "#".repeat(Math.round(part * BAR_WIDTH)).padEnd(BAR_WIDTH, "-");
  return `${what} [${bar}] ${Math.floor(part * 100)} % ${counted} of ${total.toLocaleString("en")}`;
}

function lines(screen: Screen): ProgressView {
  let shown = 0;
  let last: Step["what"] | null = null;
  return {
    show({ what, entries }) {
      if (what !== last) shown = 0;
      last = what;
      if (Math.floor(entries / LINE_ENTRIES) === shown) return;
      shown = Math.floor(entries / LINE_ENTRIES);
      screen.write(`${what} ${entries} entries ...\n`);
    },
    end: () => {},
  };
}
