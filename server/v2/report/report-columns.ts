import { z } from "zod";
import type { Figure, Figures, Grouping } from "../../domain/report/figures.ts";
import type { ReportRow } from "../../domain/report/report.ts";
import { oneOf } from "../../input/fields.ts";

/** The figure of each column. */
const COLUMNS = {
  active_customers: "activeCustomers",
  monthly_churn: "monthlyChurnPercent",
  clicks_count: "clicks",
  net_revenue_amount: "netRevenueCents",
  revenue_amount: "revenueCents",
  referrals_count: "referrals",
  customers_count: "customers",
  sales_count: "sales",
  refunds_count: "refunds",
  cancelled_customers_count: "cancellations",
  promoter_earnings_amount: "earningsCents",
  non_link_customers: "nonLinkCustomers",
  referrals_to_customers_cr: "referralsToCustomersPercent",
  "3m_epc": "earningsPerClickOf3MonthsCents",
  "6m_epc": "earningsPerClickOf6MonthsCents",
  clicks_to_customers_cr: "clicksToCustomersPercent",
  clicks_to_referrals_cr: "clicksToReferralsPercent",
  promoter_paid_amount: "paidCents",
  signups_count: "signups",
} as const satisfies Record<string, Figure>;

export type Column = keyof typeof COLUMNS;
const COLUMN_NAMES = Object.keys(COLUMNS) as [Column, ...Column[]];

/** The name of a column. */
export const column = oneOf(COLUMN_NAMES);

/** An order for each column. */
export function orders<N extends Column, S extends z.ZodType>(names: readonly N[], order: S) {
  const fields = Object.fromEntries(names.map((name) => [name, order])) as Record<N, S>;
  return z.object(fields, "is invalid").partial();
}

/** The columns of every report. */
export const ALL_COLUMNS = column.options as [Column, ...Column[]];

/** The columns that are counted by source and page. */
export const ORIGIN_COLUMNS = [
  "clicks_count",
  "revenue_amount",
  "promoter_earnings_amount",
  "referrals_count",
  "customers_count",
  "sales_count",
  "refunds_count",
  "cancelled_customers_count",
  "referrals_to_customers_cr",
  "clicks_to_customers_cr",
  "clicks_to_referrals_cr",
] as const satisfies Column[];

/** The columns of a promoter's own report. */
export const OWN_COLUMNS = [
  "clicks_count",
  "referrals_count",
  "customers_count",
  "sales_count",
  "revenue_amount",
  "refunds_count",
  "cancelled_customers_count",
  "promoter_earnings_amount",
  "promoter_paid_amount",
  "referrals_to_customers_cr",
  "clicks_to_customers_cr",
  "clicks_to_referrals_cr",
] as const satisfies Column[];

/** The columns of a row: counts, cents, and rates in percent. */
export const dataAnswer = z
  .object(Object.fromEntries(COLUMN_NAMES.map((name) => [name, z.number()])) as Record<Column, z.ZodNumber>)
  .partial()
  .meta({ id: "ReportData" });

/** One period of a report. */
export const rowAnswer = z
  .object({ period: z.string(), id: z.string(), data: dataAnswer })
  .meta({ id: "ReportRow" });

/** The figure of a column. */
export function figureOf(name: Column): Figure {
  return COLUMNS[name];
}

/** The chosen columns. */
export function dataJson(figures: Figures, columns: readonly Column[]): z.output<typeof dataAnswer> {
  return Object.fromEntries(columns.map((name) => [name, figures[COLUMNS[name]] ?? 0]));
}

/**
 * A period. Choice: `period` is `2026-03-04`, `2026-03` or `2026`, and a week is named by its first day. `id` is the
 * first day.
 */
export function rowJson(
  { period, figures }: ReportRow,
  { columns, groupBy }: { columns: readonly Column[]; groupBy: Grouping },
): z.output<typeof rowAnswer> {
  return { period: periodName(period.from, groupBy), id: period.from, data: dataJson(figures, columns) };
}

function periodName(day: string, groupBy: Grouping): string {
  if (groupBy === "year") return day.slice(0, 4);
  return groupBy === "month" ? day.slice(0, 7) : day;
}
