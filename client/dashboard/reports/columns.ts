import type { operations } from "../../ui/api/types.ts";
import { count, money, percent } from "../../ui/format.ts";

export type ColumnName = operations["reportOverview"]["parameters"]["query"]["columns"][number];

interface ReportColumn {
  title: string;
  format: (value: number | undefined) => string;
  /** Whether it is also counted by source and page. */
  isOfOrigins: boolean;
}

const cash = (value: number | undefined) => money(value);

/** The columns of the reports. */
export const COLUMNS: Record<ColumnName, ReportColumn> = {
  clicks_count: { title: "Clicks", format: count, isOfOrigins: true },
  referrals_count: { title: "Leads", format: count, isOfOrigins: true },
  signups_count: { title: "Sign-ups", format: count, isOfOrigins: false },
  customers_count: { title: "Customers", format: count, isOfOrigins: true },
  active_customers: { title: "Active customers", format: count, isOfOrigins: false },
  non_link_customers: { title: "Customers without a link", format: count, isOfOrigins: false },
  sales_count: { title: "Sales", format: count, isOfOrigins: true },
  refunds_count: { title: "Refunds", format: count, isOfOrigins: true },
  cancelled_customers_count: { title: "Cancellations", format: count, isOfOrigins: true },
  revenue_amount: { title: "Revenue", format: cash, isOfOrigins: true },
  net_revenue_amount: { title: "Net revenue", format: cash, isOfOrigins: false },
  promoter_earnings_amount: { title: "Commissions", format: cash, isOfOrigins: true },
  promoter_paid_amount: { title: "Paid to promoters", format: cash, isOfOrigins: false },
  clicks_to_referrals_cr: { title: "Clicks to leads", format: percent, isOfOrigins: true },
  referrals_to_customers_cr: { title: "Leads to customers", format: percent, isOfOrigins: true },
  clicks_to_customers_cr: { title: "Clicks to customers", format: percent, isOfOrigins: true },
  monthly_churn: { title: "Monthly churn", format: percent, isOfOrigins: false },
  "3m_epc": { title: "Earnings per click, 3 months", format: cash, isOfOrigins: false },
  "6m_epc": { title: "Earnings per click, 6 months", format: cash, isOfOrigins: false },
};

/** The columns that are shown until the reader chooses others. */
export const USUAL_COLUMNS: ColumnName[] = [
  "clicks_count",
  "referrals_count",
  "customers_count",
  "sales_count",
  "revenue_amount",
  "promoter_earnings_amount",
];

/** The columns that a report has. */
export function columnsOf(isOfOrigins: boolean): ColumnName[] {
  const names = Object.keys(COLUMNS) as ColumnName[];
  return isOfOrigins ? names.filter((name) => COLUMNS[name].isOfOrigins) : names;
}
