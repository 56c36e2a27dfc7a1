import { Failure } from "../../failure.ts";
import type { Store } from "../../storage/store.ts";
import { loadDays, type ChartQuery } from "./chart.ts";
import type { Metric } from "./daily.ts";
import { figuresOf, type Figures } from "./figures.ts";
import { addMonths } from "./period.ts";
import type { Sort } from "./ranking.ts";
import { planOf, refuseTooManyCells, sortRows, type ReportQuery, type ReportRow } from "./report.ts";
import { addSums, type History } from "./history.ts";

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

/** Choice: a longer report shows nobody anything. */
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
  const days = await loadDays(store, { promoterCampaigns, metrics: METRICS, range: plan.range });
  for (const each of days) addSums(history, each);
  const rows = plan.periods.map((period) => ({ period, figures: figuresOf(history, period, figures) }));
  return { rows: sortRows(rows, sort), total: figuresOf(history, plan.range, query.figures) };
}
