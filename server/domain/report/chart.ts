import { Failure } from "../../failure.ts";
import type { PromoterCampaign } from "../promoter-campaign/record.ts";
import type { Store } from "../../storage/store.ts";
import { addDays, addMonths, periodsOf, type Grouping, type Period } from "./period.ts";
import { loadDailySum, type Metric } from "./counters.ts";

/** Days that are read at once. */
const READ_AT_ONCE = 100;
/** Choice: each day is a read, and a longer chart shows nobody anything. */
const MOST_YEARS = 10;

/** The count of a chart, whose it is, and its range. */
export interface ChartQuery {
  promoterCampaigns: Pick<PromoterCampaign, "accountId" | "promoterId" | "id">[];
  metric: Metric;
  range: Period;
}

/** A metric over time. */
export interface Chart {
  groupBy: Grouping;
  points: { day: string; value: number }[];
}

/**
 * A metric of promoter campaigns over a range of days. The cost depends on the days alone, not on the account's size.
 *
 * @throws Failure `invalid` if the range ends before it begins, or is too long
 */
export async function loadChart(store: Store, query: ChartQuery): Promise<Chart> {
  const { range } = query;
  if (addMonths(range.from, 12 * MOST_YEARS) <= range.to) {
    throw new Failure("invalid", `A chart covers at most ${MOST_YEARS} years`);
  }
  const groupBy = groupingOf(range);
  const periods = periodsOf(range, groupBy);
  const sums = await sumsByDay(store, query);
  const points = periods.map(({ from, to }) => {
    let value = 0;
    for (let day = from; day <= to; day = addDays(day, 1)) value += sums.get(day) ?? 0;
    return { day: from, value };
  });
  return { groupBy, points };
}

/** How a chart groups the days of a range. Choice: it has between one point and some fifty. */
export function groupingOf({ from, to }: Period): Grouping {
  if (to < addMonths(from, 2)) return "day";
  if (to < addMonths(from, 12)) return "week";
  return to < addMonths(from, 48) ? "month" : "year";
}

async function sumsByDay(
  store: Store,
  { promoterCampaigns, metric, range }: ChartQuery,
): Promise<Map<string, number>> {
  const days: string[] = [];
  for (let day = range.from; day <= range.to; day = addDays(day, 1)) days.push(day);
  const sums = new Map<string, number>();
  for (const each of promoterCampaigns) {
    for (let at = 0; at < days.length; at += READ_AT_ONCE) {
      const some = days.slice(at, at + READ_AT_ONCE);
      const found = await Promise.all(some.map((day) => loadDailySum(store, each, { day, metric })));
      for (const [index, day] of some.entries()) sums.set(day, (sums.get(day) ?? 0) + (found[index] ?? 0));
    }
  }
  return sums;
}
