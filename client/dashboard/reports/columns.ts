import type { operations } from "../../ui/api/types.ts";
import { count, money, percent } from "../../ui/format.ts";

export type ColumnName = operations["reportOverview"]["parameters"]["query"]["columns"][number];

interface ReportColumn {
  title: string;
  format: (value: number | undefined) => string;
  /** Like `format`, but short, for an axis. */
  formatShort: (value: number | undefined) => string;
  /** Whether it is also counted by source and page. */
  isOfOrigins: boolean;
}

const COUNT = {
  format: (value?: number) => count(value),
  formatShort: (value?: number) => count(value, { isShort: true }),
};
const MONEY = {
  format: (value?: number) => money(value),
  formatShort: (value?: number) => money(value, { isShort: true }),
};
const PERCENT = { format: percent, formatShort: percent };

/** The columns of the reports. */
export const COLUMNS: Record<ColumnName, ReportColumn> = {
  clicks_count: { title: "Clicks", ...COUNT, isOfOrigins: true },
  referrals_count: { title: "Leads", ...COUNT, isOfOrigins: true },
  signups_count: { title: "Sign-ups", ...COUNT, isOfOrigins: false },
  customers_count: { title: "Customers", ...COUNT, isOfOrigins: true },
  active_customers: { title: "Active customers", ...COUNT, isOfOrigins: false },
  non_link_customers: { title: "Customers without a link", ...COUNT, isOfOrigins: false },
  sales_count: { title: "Sales", ...COUNT, isOfOrigins: true },
  refunds_count: { title: "Refunds", ...COUNT, isOfOrigins: true },
  cancelled_customers_count: { title: "Cancellations", ...COUNT, isOfOrigins: true },
  revenue_amount: { title: "Revenue", ...MONEY, isOfOrigins: true },
  net_revenue_amount: { title: "Net revenue", ...MONEY, isOfOrigins: false },
  promoter_earnings_amount: { title: "Commissions", ...MONEY, isOfOrigins: true },
  promoter_paid_amount: { title: "Paid to promoters", ...MONEY, isOfOrigins: false },
  clicks_to_referrals_cr: { title: "Clicks to leads", ...PERCENT, isOfOrigins: true },
  referrals_to_customers_cr: { title: "Leads to customers", ...PERCENT, isOfOrigins: true },
  clicks_to_customers_cr: { title: "Clicks to customers", ...PERCENT, isOfOrigins: true },
  monthly_churn: { title: "Monthly churn", ...PERCENT, isOfOrigins: false },
  "3m_epc": { title: "Earnings per click, 3 months", ...MONEY, isOfOrigins: false },
  "6m_epc": { title: "Earnings per click, 6 months", ...MONEY, isOfOrigins: false },
};

/** The columns that are shown by default. */
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
