import type { DailySum, Metric } from "./stats.ts";

/** All that was counted up to the end of each day that had a fact. */
interface Track {
  days: string[];
  totals: number[];
}

/** What was counted of one thing over time, so that any stretch of days is two look-ups. */
export type History = Map<Metric, Track>;

/** Adds a day's sum. Days come in order. */
export function addToHistory(history: History, { day, metric, sum }: Omit<DailySum, "id">): void {
  const track = history.get(metric) ?? { days: [], totals: [] };
  history.set(metric, track);
  const total = (track.totals.at(-1) ?? 0) + sum;
  if (track.days.at(-1) === day) {
    track.totals[track.totals.length - 1] = total;
  } else {
    track.days.push(day);
    track.totals.push(total);
  }
}

/** What was counted before a day. */
export function sumBefore(history: History, metric: Metric, day: string): number {
  const track = history.get(metric);
  if (track === undefined) return 0;
  let [low, high] = [0, track.days.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((track.days[middle] ?? "") < day) low = middle + 1;
    else high = middle;
  }
  return track.totals[low - 1] ?? 0;
}
