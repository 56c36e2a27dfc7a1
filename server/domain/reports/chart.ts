import { Failure } from "../../failure.ts";
import { among } from "../../storage/query.ts";
import type { Store, View } from "../../storage/store.ts";
import type { PromoterCampaign } from "../people/promoter-campaign/promoter-campaign.ts";
import { dailyQuery, totalsOf, type Metric } from "../people/daily.ts";
import {
  addDays,
  addMonths,
  addSums,
  figuresOf,
  periodsOf,
  sumBefore,
  type DaySums,
  type Figure,
  type Figures,
  type Grouping,
  type History,
  type Period,
} from "./figures.ts";
import { historyOf, readHistories } from "./histories.ts";
import {
  planOf,
  refuseTooLarge,
  rowsOf,
  sortRows,
  type ReportQuery,
  type ReportRow,
  type Sort,
} from "./report.ts";
import { DAY_MS } from "../span.ts";

/** The metric of a chart, its subject, and its range. */
interface ChartQuery {
  promoterCampaigns: Pick<PromoterCampaign, "account_id" | "promoter_id" | "id">[];
  metric: Metric;
  range: Period;
}

/** A metric over time. */
interface Chart {
  groupBy: Grouping;
  points: { day: string; value: number }[];
}

/** Longer charts are unreadable. */
const MOST_CHART_YEARS = 10;

/**
 * A metric of promoter campaigns over a range of days. The cost depends on the days alone, not on the
 * account's size.
 *
 * @throws Failure `invalid` if the range ends before it begins, or is too long
 */
export async function loadChart(view: View, query: ChartQuery): Promise<Chart> {
  const { range, metric } = query;
  if (addMonths(range.from, 12 * MOST_CHART_YEARS) <= range.to) {
    throw new Failure("invalid", `A chart covers at most ${MOST_CHART_YEARS} years`);
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

/** The figures of a range of days. */
export interface RangeFigures {
  range: Period;
  total: Figures;
  rows: ReportRow[];
}

/** A range of days, and the range of the same length before it. */
export interface Comparison {
  groupBy: Grouping;
  current: RangeFigures;
  previous: RangeFigures;
}

interface ComparisonQuery {
  range: Period;
  figures: readonly Figure[];
  /** Only these campaigns. Absent: all. */
  campaign_ids?: number[] | undefined;
}

/**
 * Compares the account's figures of a range with those of the range before.
 * @throws Failure `invalid` if the range ends before it begins, or is too long
 */
export async function compareRanges(
  store: Store,
  accountId: number,
  { range, figures, campaign_ids }: ComparisonQuery,
): Promise<Comparison> {
  const groupBy = groupingOf(range);
  // Splitting a range validates it, so this comes before the reads.
  const now = { range, periods: periodsOf(range, groupBy) };
  const earlier = rangeBefore(range);
  const before = { range: earlier, periods: periodsOf(earlier, groupBy) };
  const histories = await readHistories(store, accountId, {
    periods: [...before.periods, ...now.periods],
    figures,
    series: "campaign",
    chosen: campaign_ids && ((column) => among(column, campaign_ids)),
    isWhole: true,
    ownerOf: Number,
  });
  const history = historyOf(histories, accountId);
  const figuresIn = ({ range, periods }: typeof now): RangeFigures => ({
    range,
    total: figuresOf(history, range, figures),
    rows: rowsOf(history, { range, groupBy, figures, periods }),
  });
  return { groupBy, current: figuresIn(now), previous: figuresIn(before) };
}

interface OwnReportQuery extends ReportQuery, Pick<ChartQuery, "promoterCampaigns"> {
  /** Null: by time. */
  sort: Sort | null;
}

/** Longer reports are unreadable. */
const MOST_REPORT_YEARS = 3;

/** The sums behind the figures of a promoter's own report. */
const METRICS = [
  "clicks",
  "referrals",
  "customers",
  "sales",
  "sales_cents",
  "refunds",
  "cancellations",
  "earnings_cents",
  "paid_cents",
] as const satisfies Metric[];

/**
 * The figures of some promoter campaigns, period by period, and in total. The cost depends on the days and
 * the promoter campaigns alone, not on the account's size.
 *
 * @throws Failure `invalid` for a range that is too long
 */
export async function reportOwn(
  store: Store,
  { promoterCampaigns, sort, ...query }: OwnReportQuery,
): Promise<{ rows: ReportRow[]; total: Figures }> {
  const figures = sort === null ? query.figures : [...query.figures, sort.by];
  const plan = planOf({ ...query, figures });
  const { from, to } = plan.range;
  if (addMonths(from, 12 * MOST_REPORT_YEARS) <= to) {
    throw new Failure("invalid", `A report covers at most ${MOST_REPORT_YEARS} years`);
  }
  refuseTooLarge(plan, promoterCampaigns.length);
  const history: History = new Map();
  const days = await loadDays(store, { promoterCampaigns, metrics: METRICS, range: plan.range });
  for (const each of days) addSums(history, each);
  const rows = plan.periods.map((period) => ({ period, figures: figuresOf(history, period, figures) }));
  return { rows: sortRows(rows, sort), total: figuresOf(history, plan.range, query.figures) };
}

/** How a chart groups the days of a range, so that it has at most some fifty points. */
function groupingOf({ from, to }: Period): Grouping {
  if (to < addMonths(from, 2)) return "day";
  if (to < addMonths(from, 12)) return "week";
  return to < addMonths(from, 48) ? "month" : "year";
}

/** The sums of promoter campaigns on each day of a range that had any, in order. */
async function loadDays(
  view: View,
  query: Pick<ChartQuery, "promoterCampaigns" | "range"> & { metrics: readonly Metric[] },
): Promise<DaySums[]> {
  const { promoterCampaigns, metrics, range } = query;
  const [first] = promoterCampaigns;
  if (first === undefined) return [];
  const promoterIds = [...new Set(promoterCampaigns.map(({ promoter_id }) => promoter_id))];
  const ids = promoterCampaigns.map(({ id }) => id);
  const rows = await view.rows(
    dailyQuery(view, first.account_id, "promoter")
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

function rangeBefore({ from, to }: Period): Period {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return { from: addDays(from, -days), to: addDays(from, -1) };
}
