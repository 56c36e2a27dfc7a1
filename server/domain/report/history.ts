import type { Metric } from "./counters.ts";

/** Running totals: each day that had a fact, with the total up to its end. */
export interface Track {
  days: string[];
  totals: number[];
}

/** The running totals of one campaign or promoter. Any range of days then takes two look-ups. */
export type History = Map<Metric, Track>;

/** Adds a day's sum. The days must come in order. */
export function addToHistory(
  history: History,
  { day, metric, sum }: { day: string; metric: Metric; sum: number },
): void {
  let track = history.get(metric);
  if (track === undefined) history.set(metric, (track = newTrack()));
  addToTrack(track, day, sum);
}

/** Running totals to add to. */
export function newTrack(): Track {
  return { days: [], totals: [] };
}

/** Adds a day's sum. The days must come in order. */
export function addToTrack(track: Track, day: string, sum: number): void {
  const total = (track.totals.at(-1) ?? 0) + sum;
  if (track.days.at(-1) === day) {
    track.totals[track.totals.length - 1] = total;
  } else {
    track.days.push(day);
    track.totals.push(total);
  }
}

/** Whether every total ends at 0. */
export function isEmpty(history: History): boolean {
  return [...history.values()].every(({ totals }) => totals.at(-1) === 0);
}

/** The total before a day. */
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
