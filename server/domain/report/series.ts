import type { KeyPart } from "../../storage/keys.ts";
import type { Store } from "../../storage/store.ts";
import { dayNumber, type Metric, type Series } from "./counters.ts";
import { addDays, addMonths } from "./period.ts";
import type { Stretch } from "./stretch.ts";

/** The id of a series: of a campaign or a promoter, or the key of a source or a page. */
export type SeriesId = number | string;

/** The count of one id of a series on one day or in one month. */
export interface SeriesSum {
  /** For a month: its first day. */
  day: string;
  id: SeriesId;
  sum: number;
}

interface Reading {
  series: Series;
  metric: Metric;
  stretch: Stretch;
}

/** Reads one metric of a series over a stretch, in the order of time. */
export async function* seriesSums(
  store: Store,
  accountId: number,
  { series, metric, stretch }: Reading,
): AsyncGenerator<SeriesSum[]> {
  const { grain } = stretch;
  const between = { from: timeNumber(stretch.from, grain), before: timeNumber(stretch.before, grain) };
  let last: { time: KeyPart; day: string } = { time: 0, day: "" };
  for await (const sums of store.sums(accountId, [counterOf(series, grain), metric], between)) {
    yield sums.map(([[time = 0, id = 0], sum]) => {
      if (time !== last.time) last = { time, day: dayText(String(time)) };
      return { day: last.day, id, sum };
    });
  }
}

/** Reads the same for one promoter alone. */
export async function* promoterSums(
  store: Store,
  accountId: number,
  { promoterId, metric, stretch }: Omit<Reading, "series"> & { promoterId: number },
): AsyncGenerator<SeriesSum[]> {
  const { grain, before } = stretch;
  const from = stretch.from || (await firstDay(store, accountId, { series: "promoter", metric, stretch }));
  for (let day = from; day < before; day = grain === "month" ? addMonths(day, 1) : addDays(day, 1)) {
    const start = [counterOf("promoter", grain), metric, timeNumber(day, grain), promoterId];
    if (grain === "month") yield [{ day, id: promoterId, sum: await store.sum(accountId, start) }];
    else
      for await (const sums of store.sums(accountId, start))
        yield sums.map(([, sum]) => ({ day, id: promoterId, sum }));
  }
}

/** The first day that counted anything. If none did, the stretch's end. */
async function firstDay(store: Store, accountId: number, reading: Reading): Promise<string> {
  for await (const [first] of seriesSums(store, accountId, reading)) if (first) return first.day;
  return reading.stretch.before;
}

function counterOf(series: Series, grain: Stretch["grain"]): string {
  return grain === "month" ? `monthly.${series}` : `daily.${series}`;
}

function timeNumber(day: string, grain: Stretch["grain"]): number {
  return grain === "month" ? Math.floor(dayNumber(day) / 100) : dayNumber(day);
}

function dayText(time: string): string {
  return `${time.slice(0, 4)}-${time.slice(4, 6)}-${time.slice(6) || "01"}`;
}
