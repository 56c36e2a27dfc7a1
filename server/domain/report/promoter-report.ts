import { setImmediate as othersTurn } from "node:timers/promises";
import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import type { ChartQuery } from "./chart.ts";
import { loadDailySum, type Metric } from "./counters.ts";
import { figuresOf, type Figures } from "./figures.ts";
import { addDays, addMonths } from "./period.ts";
import type { Sort } from "./ranking.ts";
import { planOf, refuseTooManyCells, sortRows, type ReportQuery, type ReportRow } from "./report.ts";
import { addToHistory, type History } from "./history.ts";

/** The sums that the figures of a promoter's own report are made of. */
const METRICS = [
  "clicks",
  "referrals",
  "customers",
  "sales",
  "salesCents",
  "refunds",
  "cancellations",
  "earningsCents",
  "paidCents",
] as const satisfies Metric[];

/** Choice: each day is a read of each sum. */
const MOST_YEARS = 3;

interface OwnReportQuery extends ReportQuery, Pick<ChartQuery, "promoterCampaigns"> {
  /** null: by time. */
  sort: Sort | null;
}

/**
 * The figures of some promoter campaigns, period by period, and in total. The cost depends on the days and the promoter
 * campaigns alone, not on the account's size.
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
  if (addMonths(from, 12 * MOST_YEARS) <= to) {
    throw new Failure("invalid", `A report covers at most ${MOST_YEARS} years`);
  }
  refuseTooManyCells(plan, promoterCampaigns.length);
  const history: History = new Map();
  for (let day = from; day <= to; day = addDays(day, 1)) {
    for (const each of promoterCampaigns) {
      const sums = METRICS.map((metric) => loadDailySum(store, each, { day, metric }));
      for (const [at, sum] of (await Promise.all(sums)).entries()) {
        const metric = METRICS[at];
        if (metric !== undefined && sum !== 0) addToHistory(history, { day, metric, sum });
      }
    }
    await othersTurn();
  }
  const rows = plan.periods.map((period) => ({ period, figures: figuresOf(history, period, figures) }));
  return { rows: sortRows(rows, sort), total: figuresOf(history, plan.range, query.figures) };
}
