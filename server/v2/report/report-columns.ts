import { z } from "zod";
import type { Figure, Figures, Grouping } from "../../domain/reports/figures.ts";
import type { ReportRow } from "../../domain/reports/report.ts";
import { oneOf } from "../../input/fields.ts";
import { field } from "../../http/fields.ts";

/** Each column with its figure, description, example, and the description of sorting by it. */
const COLUMNS = {
  active_customers: [
    "active_customers",
    "How many people are customers now.",
    10,
    "By the number of people who are customers.",
  ],
  monthly_churn: [
    "monthlyChurnPercent",
    "Percentage of customers who cancelled within a month.",
    1.5,
    "By the percentage of customers who cancelled.",
  ],
  clicks_count: ["clicks", "How many visitors followed the link.", 340, "By the number of visitors."],
  net_revenue_amount: [
    "netRevenueCents",
    "Sum of the sales less the refunds, in cents.",
    240000,
    "By the sum of the sales less the refunds.",
  ],
  revenue_amount: ["revenueCents", "Sum of the sales, in cents.", 250000, "By the sum of the sales."],
  referrals_count: ["referrals", "How many people signed up.", 42, "By the number of leads."],
  customers_count: ["customers", "How many of them became customers.", 12, "By the number of customers."],
  sales_count: ["sales", "How many sales were made.", 25, "By the number of sales."],
  refunds_count: ["refunds", "How many sales were refunded.", 1, "By the number of refunds."],
  cancelled_customers_count: [
    "cancellations",
    "How many customers cancelled.",
    2,
    "By the number of customers who cancelled.",
  ],
  promoter_earnings_amount: [
    "earnings_cents",
    "What promoters earned, in cents.",
    50000,
    "By the sum that promoters earned.",
  ],
  non_link_customers: [
    "non_link_customers",
    "How many customers came without a referral link, for example with a promo code.",
    4,
    "By the number of customers without a referral link.",
  ],
  referrals_to_customers_cr: [
    "referralsToCustomersPercent",
    "Percentage of leads who became customers.",
    28.6,
    "By the percentage of leads who became customers.",
  ],
  "3m_epc": [
    "earningsPerClickOf3MonthsCents",
    "Earnings for each click over three months, in cents.",
    147,
    "By the earnings for each click over three months.",
  ],
  "6m_epc": [
    "earningsPerClickOf6MonthsCents",
    "Earnings for each click over six months, in cents.",
    152,
    "By the earnings for each click over six months.",
  ],
  clicks_to_customers_cr: [
    "clicksToCustomersPercent",
    "Percentage of visitors who became customers.",
    3.5,
    "By the percentage of visitors who became customers.",
  ],
  clicks_to_referrals_cr: [
    "clicksToReferralsPercent",
    "Percentage of visitors who signed up.",
    12.4,
    "By the percentage of visitors who signed up.",
  ],
  promoter_paid_amount: [
    "paid_cents",
    "What promoters were paid, in cents.",
    40000,
    "By the sum that promoters were paid.",
  ],
  signups_count: [
    "signups",
    "How many people signed up by themselves. Leads that you added are not counted.",
    40,
    "By the number of sign-ups.",
  ],
} as const satisfies Record<string, [Figure, meaning: string, example: number, order: string]>;

export type Column = keyof typeof COLUMNS;
const COLUMN_NAMES = Object.keys(COLUMNS) as [Column, ...Column[]];

/** The name of a column. */
export const column = oneOf(COLUMN_NAMES);

/** An order for each column. */
export function orders<N extends Column, S extends z.ZodType>(names: readonly N[], order: S) {
  const fields = Object.fromEntries(names.map((name) => [name, field(order, COLUMNS[name][3])])) as Record<
    N,
    S
  >;
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
  .object(
    Object.fromEntries(
      Object.entries(COLUMNS).map(([name, [, meaning, example]]) => [
        name,
        field(z.number(), meaning, example),
      ]),
    ) as Record<Column, z.ZodNumber>,
  )
  .partial()
  .meta({ id: "ReportData" });

/** One period of a report. */
export const rowAnswer = z
  .object({
    period: field(z.string(), "The day, month or year. A week is named by its first day.", "2026-03"),
    id: field(z.string(), "The first day of the period.", "2026-03-01"),
    data: field(dataAnswer, "The records."),
  })
  .meta({ id: "ReportRow" });

/** The figure of a column. */
export function figureOf(name: Column): Figure {
  return COLUMNS[name][0];
}

/** The chosen columns. */
export function dataJson(figures: Figures, columns: readonly Column[]): z.output<typeof dataAnswer> {
  return Object.fromEntries(columns.map((name) => [name, figures[figureOf(name)] ?? 0]));
}

/**
 * A period. `period` is `2026-03-04`, `2026-03` or `2026`; a week has the name of its first day. `id` is the first day.
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
