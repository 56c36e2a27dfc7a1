import { z } from "zod";
import { moneyFormat } from "../../domain/money/format.ts";
import type { ReportRow } from "../../domain/report/report.ts";
import type { Figure, Figures } from "../../domain/report/figures.ts";
import { oneOf } from "../../input/fields.ts";
import { field } from "../../http/fields.ts";

/** Each column with its figure and its form. Money is text. */
const COLUMNS = {
  revenue_amount: ["revenueCents", field(z.string(), "Sum of the sales.", "$2,500.00")],
  clicks_count: ["clicks", field(z.number(), "How many visitors followed the link.", 340)],
  referrals_count: ["referrals", field(z.number(), "How many people signed up.", 42)],
  customers_count: ["customers", field(z.number(), "How many of them became customers.", 12)],
  active_customers: ["activeCustomers", field(z.number(), "How many people are customers now.", 10)],
  monthly_churn: [
    "monthlyChurnPercent",
    field(z.number(), "Percentage of customers who cancelled within a month.", 1.5),
  ],
  net_revenue_amount: [
    "netRevenueCents",
    field(z.string(), "Sum of the sales without refunds and commissions.", "$2,000.00"),
  ],
  sales_count: ["sales", field(z.number(), "How many sales were made.", 25)],
  refunds_count: ["refunds", field(z.number(), "How many sales were refunded.", 1)],
  cancelled_customers_count: ["cancellations", field(z.number(), "How many customers cancelled.", 2)],
  promoter_earnings_amount: ["earningsCents", field(z.string(), "What promoters earned.", "$500.00")],
  non_link_customers: [
    "nonLinkCustomers",
    field(z.number(), "How many customers came without a referral link, for example with a promo code.", 4),
  ],
  referrals_to_customers_cr: [
    "referralsToCustomersPercent",
    field(z.number(), "Percentage of leads who became customers.", 28.6),
  ],
  "3m_epc": [
    "earningsPerClickOf3MonthsCents",
    field(z.string(), "Earnings for each click over three months.", "$1.47"),
  ],
  "6m_epc": [
    "earningsPerClickOf6MonthsCents",
    field(z.string(), "Earnings for each click over six months.", "$1.52"),
  ],
  clicks_to_customers_cr: [
    "clicksToCustomersPercent",
    field(z.number(), "Percentage of visitors who became customers.", 3.5),
  ],
  clicks_to_referrals_cr: [
    "clicksToReferralsPercent",
    field(z.number(), "Percentage of visitors who signed up.", 12.4),
  ],
  promoter_paid_amount: ["paidCents", field(z.string(), "What promoters were paid.", "$400.00")],
} as const satisfies Record<string, [Figure, z.ZodString | z.ZodNumber]>;

/** The lengths of periods. V1 knows no weeks. */
export const V1_GROUPINGS = ["day", "month", "year"] as const;
export type V1Grouping = (typeof V1_GROUPINGS)[number];

export type Column = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as [Column, ...Column[]];

/** The name of a column. */
export const column = oneOf(COLUMN_NAMES);

/** The columns of a row: money as text with its currency, everything else as numbers, rates in percent. */
export const columnsAnswer = z
  .object(
    Object.fromEntries(Object.entries(COLUMNS).map(([name, [, form]]) => [name, form])) as Record<
      Column,
      z.ZodString | z.ZodNumber
    >,
  )
  .partial();

/** The figure of a column. */
export function figureOf(name: Column): Figure {
  return COLUMNS[name][0];
}

/** One row of a report with the name of its period. */
export const rowAnswer = columnsAnswer
  .extend({ period: field(z.string(), "The day, month or year that the row is about.", "Mar 2026") })
  .meta({ id: "V1ReportRow" });

/** Writes the rows of a report in the chosen columns. */
export interface ReportWriter {
  columns(figures: Figures): z.output<typeof columnsAnswer>;
  row(row: ReportRow): z.output<typeof rowAnswer>;
}

const LABELS: Record<V1Grouping, Intl.DateTimeFormatOptions> = {
  day: { day: "numeric", month: "short", year: "numeric" },
  month: { month: "short", year: "numeric" },
  year: { year: "numeric" },
};

/**
 * Money is written like `$1,613.17`, a month like `Sep 2024`, a day like `Sep 12, 2024`, a year like `2024`.
 */
export function reportWriter(
  currency: string,
  { columns, groupBy }: { columns: readonly Column[]; groupBy: V1Grouping },
): ReportWriter {
  const money = moneyFormat(currency);
  const label = new Intl.DateTimeFormat("en-US", { ...LABELS[groupBy], timeZone: "UTC" });
  const cell = (name: Column, figures: Figures): [Column, string | number] => {
    const [figure, form] = COLUMNS[name];
    const value = figures[figure] ?? 0;
    return [name, form instanceof z.ZodString ? money(value) : value];
  };
  const columnsJson = (figures: Figures): z.output<typeof columnsAnswer> =>
    Object.fromEntries(columns.map((name) => cell(name, figures)));
  return {
    columns: columnsJson,
    row: ({ period, figures }) => ({
      ...columnsJson(figures),
      period: label.format(new Date(period.from)),
    }),
  };
}
