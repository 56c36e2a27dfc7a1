import { sql, type Compilable, type Kysely } from "kysely";
import { prepared } from "../../storage/query.ts";
import type { View } from "../../storage/store.ts";
import {
  columnOf,
  daily,
  METRICS,
  TOTAL_METRICS,
  type DailyRow,
  type Metric,
  type Series,
  type TotalMetric,
} from "./daily.ts";

/** Totals over all days. */
export type Stats = Record<TotalMetric, number>;

/** The table, as questions see it. */
export interface DailySchema {
  daily: DailyRow;
}

/** A question about the days of a series. */
export function dailyQuestion(view: View, accountId: number, series: Series) {
  return daysOf(view.question<DailySchema>(), accountId, series);
}

function daysOf(question: Kysely<DailySchema>, accountId: number, series: Series) {
  return question
    .selectFrom("daily")
    .where("daily.account_id", "=", accountId)
    .where("daily.series", "=", series);
}

/** The sums of metrics, under their names. */
export function totalsOf<M extends Metric>(metrics: readonly M[]) {
  return metrics.map((metric) =>
    sql<number>`coalesce(sum(${sql.ref(`daily.${columnOf(metric)}`)}), 0)`.as(metric),
  );
}

const ownTotals = prepared(
  (question: Kysely<DailySchema>, accountId: number, promoterId: number, promoterCampaignId: number) =>
    daysOf(question, accountId, "promoter")
      .where("daily.subject_id", "=", promoterId)
      .where("daily.promoter_campaign_id", "=", promoterCampaignId)
      .select(totalsOf(TOTAL_METRICS)),
);

/** The totals of a promoter campaign. */
export function loadStats(
  view: View,
  { accountId, promoterId, id }: { accountId: number; promoterId: number; id: number },
): Promise<Stats> {
  return statsIn(view, ownTotals(view, accountId, promoterId, id));
}

/** The totals of a promoter over all promoter campaigns. */
export async function loadPromoterTotals(
  view: View,
  accountId: number,
  promoterId: number,
): Promise<Record<Metric, number>> {
  const totals = await view.total(daily, accountId, "promoter-month", promoterId);
  return Object.fromEntries(METRICS.map((metric, at) => [metric, totals[at]!])) as Record<Metric, number>;
}

/** The totals of a campaign. */
export function loadCampaignStats(view: View, accountId: number, campaignId: number): Promise<Stats> {
  const days = dailyQuestion(view, accountId, "campaign").where("daily.subject_id", "=", campaignId);
  return statsIn(view, days.select(totalsOf(TOTAL_METRICS)));
}

/** The totals of all campaigns. */
export function loadAccountStats(view: View, accountId: number): Promise<Stats> {
  return statsIn(view, dailyQuestion(view, accountId, "campaign").select(totalsOf(TOTAL_METRICS)));
}

async function statsIn(view: View, totals: Compilable<Stats>): Promise<Stats> {
  const [stats] = await view.rows(totals);
  return Object.fromEntries(TOTAL_METRICS.map((metric) => [metric, Number(stats?.[metric] ?? 0)])) as Stats;
}
