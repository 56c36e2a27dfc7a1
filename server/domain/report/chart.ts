import { Failure } from "../../failure.ts";
import type { PromoterCampaign } from "../promoter-campaign/promoter-campaign.ts";
import { among } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import type { Metric } from "./daily.ts";
import { addSums, sumBefore, type DaySums, type History } from "./history.ts";
import { addDays, addMonths, periodsOf, type Grouping, type Period } from "./period.ts";
import { dailyQuestion, totalsOf } from "./stats.ts";

/** Choice: a longer chart shows nobody anything. */
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
export async function loadChart(view: View, query: ChartQuery): Promise<Chart> {
  const { range, metric } = query;
  if (addMonths(range.from, 12 * MOST_YEARS) <= range.to) {
    throw new Failure("invalid", `A chart covers at most ${MOST_YEARS} years`);
  }
  const groupBy = groupingOf(range);
  const periods = periodsOf(range, groupBy);
  const history: History = new Map();
  for (const each of await loadDays(view, { ...query, metrics: [metric] })) addSums(history, each);
  const points = periods.map(({ from, to }) => ({
    day: from,
    value: sumBefore(history, metric, addDays(to, 1)) - sumBefore(history, metric, from),
  }));
  return { groupBy, points };
}

/** How a chart groups the days of a range. Choice: it has between one point and some fifty. */
export function groupingOf({ from, to }: Period): Grouping {
  if (to < addMonths(from, 2)) return "day";
  if (to < addMonths(from, 12)) return "week";
  return to < addMonths(from, 48) ? "month" : "year";
}

/** The sums of metrics of promoter campaigns on each day of a range that had any, in order. */
export async function loadDays(
  view: View,
  query: Pick<ChartQuery, "promoterCampaigns" | "range"> & { metrics: readonly Metric[] },
): Promise<DaySums[]> {
  const { promoterCampaigns, metrics, range } = query;
  const [first] = promoterCampaigns;
  if (first === undefined) return [];
  const promoterIds = [...new Set(promoterCampaigns.map(({ promoterId }) => promoterId))];
  const ids = promoterCampaigns.map(({ id }) => id);
  const rows = await view.rows(
    dailyQuestion(view, first.accountId, "promoter")
      .where(among("daily.subject_id", promoterIds))
      .where("daily.subject_key", "=", "")
      .where("daily.day", ">=", range.from)
      .where("daily.day", "<=", range.to)
      .where(among("daily.promoter_campaign_id", ids))
      .groupBy("daily.day")
      .orderBy("daily.day")
      .select("daily.day")
      .select(totalsOf(metrics)),
  );
  return rows.map(({ day, ...sums }) => ({ day, sums }));
}
