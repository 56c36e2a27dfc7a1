import { z } from "zod";
import { moneyFormat } from "../../domain/money/money.ts";
import type { ReportRow } from "../../domain/report/report.ts";
import type { Figure, Figures } from "../../domain/report/figures.ts";
import { oneOf } from "../../input/fields.ts";

/** Each column with its figure and the way it is written. */
const COLUMNS = {
  revenue_amount: ["revenueCents", "money"],
  clicks_count: ["clicks", "number"],
  referrals_count: ["referrals", "number"],
  customers_count: ["customers", "number"],
  active_customers: ["activeCustomers", "number"],
  monthly_churn: ["monthlyChurnPercent", "number"],
  net_revenue_amount: ["netRevenueCents", "money"],
  sales_count: ["sales", "number"],
  refunds_count: ["refunds", "number"],
  cancelled_customers_count: ["cancellations", "number"],
  promoter_earnings_amount: ["earningsCents", "money"],
  non_link_customers: ["nonLinkCustomers", "number"],
  referrals_to_customers_cr: ["referralsToCustomersPercent", "number"],
  "3m_epc": ["earningsPerClickOf3MonthsCents", "money"],
  "6m_epc": ["earningsPerClickOf6MonthsCents", "money"],
  clicks_to_customers_cr: ["clicksToCustomersPercent", "number"],
  clicks_to_referrals_cr: ["clicksToReferralsPercent", "number"],
  promoter_paid_amount: ["paidCents", "money"],
} as const satisfies Record<string, [Figure, "money" | "number"]>;

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
    Object.fromEntries(
      Object.entries(COLUMNS).map(([name, [, form]]) => [name, form === "money" ? z.string() : z.number()]),
    ) as Record<Column, z.ZodString | z.ZodNumber>,
  )
  .partial();

/** The figure of a column. */
export function figureOf(name: Column): Figure {
  return COLUMNS[name][0];
}

/** One row of a report with the name of its period. */
export const rowAnswer = columnsAnswer.extend({ period: z.string() }).meta({ id: "V1ReportRow" });

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
    return [name, form === "money" ? money(value) : value];
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
