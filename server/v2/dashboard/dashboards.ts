import { z } from "zod";
import { COMMISSION_STATUSES, type CommissionStatus } from "../../domain/ledger/commission/commission.ts";
import { dueStats, payoutStats } from "../../domain/ledger/payout/stats.ts";
import { loadAccountStats, loadCampaignsStats } from "../../domain/people/daily.ts";
import { compareRanges } from "../../domain/reports/chart.ts";
import { sumCommissions } from "../../domain/ledger/commission/search.ts";
import { dayOf } from "../../domain/program/account/time-zone.ts";
import { addDays, GROUPINGS, type Figure } from "../../domain/reports/figures.ts";
import { field } from "../../http/fields.ts";
import { calendarDay, id, listOf, oneOf } from "../../input/fields.ts";
import { comparisonAnswer, comparisonJson, SHOWN_FIGURES } from "../home/home.ts";
import type { V2Operation, V2Row } from "../operation.ts";
import { readListing } from "../../resource/listing.ts";
import {
  dueStatsAnswer,
  dueStatsJson,
  payoutSummariesAnswer,
  payoutSummariesJson,
} from "../payout/payout-stats.ts";

const TREND_DAYS = 30;

const filterParams = z.object({
  filters: field(
    z
      .object({ campaign_id: field(listOf(id), "Only these campaigns.", [1]) }, "is invalid")
      .partial()
      .default({}),
    "Only records that match. Default: all campaigns.",
  ),
});

const total = (meaning: string, example: number) => field(z.int(), meaning, example);
const statsAnswer = z
  .object({
    clicks_count: total("Clicks.", 3_200),
    referrals_count: total("Leads.", 272),
    customers_count: total("Customers won.", 67),
    active_customers_count: total("Customers who have not cancelled.", 54),
    cancellations_count: total("Cancellations.", 13),
    sales_count: total("Sales.", 140),
    revenue_amount: total("Sum of the sales, in cents.", 1_260_000),
    refunds_amount: total("Sum of the refunds, in cents.", 12_000),
    commissions_count: total("Commissions.", 138),
  })
  .meta({ id: "DashboardStats" });

const statsOperation: V2Operation = {
  id: "getDashboardStats",
  summary: "Show the program's figures from its beginning",
  description: "Shows totals of all time, of all campaigns or of some.",
  params: filterParams,
  answer: statsAnswer,
  refusals: ["invalid"],
  async handle(request): Promise<z.output<typeof statsAnswer>> {
    const { account, context } = request;
    const { campaign_id: campaignIds } = readListing(request, filterParams).params.filters;
    const stats = await (campaignIds === undefined
      ? loadAccountStats(context.store, account.id)
      : loadCampaignsStats(context.store, account.id, campaignIds));
    return {
      clicks_count: stats.clicks,
      referrals_count: stats.referrals,
      customers_count: stats.customers,
      active_customers_count: stats.active_customers,
      cancellations_count: stats.cancellations,
      sales_count: stats.sales,
      revenue_amount: stats.sales_cents,
      refunds_amount: stats.refunds_cents,
      commissions_count: stats.commissions,
    };
  },
};

const trendingsOperation: V2Operation = {
  id: "getDashboardTrendings",
  summary: "Compare the last 30 days with the 30 days before",
  description: "Shows figures of the last 30 days, today included, each beside the 30 days before.",
  params: filterParams,
  answer: comparisonAnswer,
  refusals: ["invalid"],
  async handle(request) {
    const { account, context } = request;
    const { campaign_id: campaignIds } = readListing(request, filterParams).params.filters;
    const to = dayOf(account, context.now);
    const range = { from: addDays(to, 1 - TREND_DAYS), to };
    const compared = { range, figures: SHOWN_FIGURES, campaign_ids: campaignIds };
    return comparisonJson(await compareRanges(context.store, account.id, compared));
  },
};

const SELECTIONS = {
  revenue: "revenueCents",
  commissions: "earnings_cents",
  clicks: "clicks",
  referrals: "referrals",
  customers: "customers",
  cancellations: "cancellations",
} as const satisfies Record<string, Figure>;

type Selection = keyof typeof SELECTIONS;
const selections = Object.keys(SELECTIONS) as [Selection, ...Selection[]];

const chartParams = filterParams.extend({
  period_from: field(
    calendarDay.optional(),
    "First day of the chart. Default: 29 days before the last.",
    "2026-03-01",
  ),
  period_to: field(calendarDay.optional(), "Last day of the chart. Default: today.", "2026-03-31"),
  selection: field(
    oneOf(selections).default("revenue"),
    "What the chart shows. Revenue and commissions are in cents.",
    "revenue",
  ),
});

const chartAnswer = z
  .object({
    period_from: field(z.iso.date(), "First day of the chart.", "2026-03-01"),
    period_to: field(z.iso.date(), "Last day of the chart.", "2026-03-31"),
    selection: field(z.enum(selections), chartParams.shape.selection),
    selection_items: field(z.array(z.tuple([z.iso.date(), z.number()])), "The points of the chart.", [
      ["2026-03-01", 340],
    ]),
    total: field(z.number(), "The figure over the whole range.", 340),
    group_by: field(z.enum(GROUPINGS), "The time between two points. It depends on the length of the chart."),
  })
  .meta({ id: "DashboardChart" });

const chartOperation: V2Operation = {
  id: "getDashboardChart",
  summary: "Chart the program's figures",
  description: "Shows a figure over time, of all campaigns or of some.",
  params: chartParams,
  answer: chartAnswer,
  refusals: ["invalid"],
  async handle(request): Promise<z.output<typeof chartAnswer>> {
    const { account, context } = request;
    const { params } = readListing(request, chartParams);
    const { selection, period_to: to = dayOf(account, context.now) } = params;
    const { period_from: from = addDays(to, 1 - TREND_DAYS), filters } = params;
    const figure = SELECTIONS[selection];
    const { groupBy, current } = await compareRanges(context.store, account.id, {
      range: { from, to },
      figures: [figure],
      campaign_ids: filters.campaign_id,
    });
    return {
      period_from: from,
      period_to: to,
      selection,
      selection_items: current.rows.map(({ period, figures }) => [period.from, figures[figure] ?? 0]),
      total: current.total[figure] ?? 0,
      group_by: groupBy,
    };
  },
};

const commissionSum = z.object({
  count: field(z.int(), "How many there are.", 12),
  amount: field(z.int(), "Their sum, in cents.", 24_000),
});
const moneyAnswer = z
  .object({
    commissions: field(
      z.object({
        pending: field(commissionSum, "Those that wait for approval."),
        approved: field(commissionSum, "Those that are approved, paid ones included."),
        denied: field(commissionSum, "Those that were denied."),
      } satisfies Record<CommissionStatus, z.ZodObject>),
      "Commissions in money, by status.",
    ),
    payouts: field(
      z.object({
        by_status: payoutSummariesAnswer,
        due: field(dueStatsAnswer.shape.data, "Pending payouts by due date."),
      }),
      "Payouts.",
    ),
  })
  .meta({ id: "DashboardMoney" });

const moneyOperation: V2Operation = {
  id: "getDashboardPayoutsAndCommissions",
  summary: "Add up commissions and payouts",
  description: "Adds up commissions by status, and payouts by status and due date.",
  params: filterParams,
  answer: moneyAnswer,
  refusals: ["invalid"],
  async handle(request): Promise<z.output<typeof moneyAnswer>> {
    const { account, context } = request;
    const { campaign_id: campaignIds } = readListing(request, filterParams).params.filters;
    const [commissions, payouts, due] = await Promise.all([
      sumCommissions(context.store, account.id, campaignIds),
      payoutStats(context, account, { campaign_ids: campaignIds }),
      dueStats(context, account, { campaign_ids: campaignIds }),
    ]);
    const sums = COMMISSION_STATUSES.map((status) => {
      const { count = 0, cents = 0 } = commissions.get(status) ?? {};
      return [status, { count, amount: cents }];
    });
    return {
      commissions: Object.fromEntries(sums) as z.output<typeof moneyAnswer>["commissions"],
      payouts: { by_status: payoutSummariesJson(payouts.byStatus), due: dueStatsJson(due) },
    };
  },
};

/** The paths are below `/api/v2/company`. */
export const DASHBOARD_OPERATIONS: V2Row[] = [
  ["GET", "/dashboards/stats", statsOperation],
  ["GET", "/dashboards/trendings", trendingsOperation],
  ["GET", "/dashboards/chart_data", chartOperation],
  ["GET", "/dashboards/payouts_and_commissions", moneyOperation],
];
