import type { Metric } from "./daily.ts";

/** Running totals: each day that had a fact, with the total up to its end. */
interface Track {
  days: string[];
  totals: number[];
}

/** The running totals of one campaign or promoter. Any range of days then takes two look-ups. */
export type History = Map<Metric, Track>;

/** What metrics add up to on a day. */
export interface DaySums {
  day: string;
  sums: Partial<Record<Metric, number>>;
}

/** Adds a day's sums. The days must come in order. */
export function addSums(history: History, { day, sums }: DaySums): void {
  for (const [metric, sum] of Object.entries(sums) as [Metric, number][]) {
    // Large numbers come as texts from some databases.
    if (Number(sum) !== 0) addSum(trackOf(history, metric), day, Number(sum));
  }
}

function trackOf(history: History, metric: Metric): Track {
  let track = history.get(metric);
  if (track === undefined) history.set(metric, (track = { days: [], totals: [] }));
  return track;
}

function addSum(track: Track, day: string, sum: number): void {
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
