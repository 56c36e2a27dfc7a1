import type { Fields, Operations } from "./entry.ts";

const SORTS = {
  active_customers: "number of people who are customers",
  monthly_churn: "percentage of customers who cancelled",
  net_revenue_amount: "sum of the sales less the refunds",
  sales_count: "number of sales",
  refunds_count: "number of refunds",
  cancelled_customers_count: "number of customers who cancelled",
  promoter_earnings_amount: "sum that promoters earned",
  non_link_customers: "number of customers without a referral link",
  referrals_to_customers_cr: "percentage of leads who became customers",
  "3m_epc": "earnings for each click over three months",
  "6m_epc": "earnings for each click over six months",
  clicks_to_customers_cr: "percentage of visitors who became customers",
  clicks_to_referrals_cr: "percentage of visitors who signed up",
  promoter_paid_amount: "sum that promoters were paid",
  signups_count: "number of sign-ups",
};
const QUERY = "Choose `columns`, the days, and whether each row is a day, week, month or year.";

/** Fields of V2's reports. */
export const REPORT_FIELDS: Fields = {
  columns: ["The columns to show.", ["revenue_amount", "clicks_count"]],
  "reportOverview.q": ["Text to search for in the names of periods.", "2026-03"],
  "reportCampaigns.q": ["Text to search for in names, or `id:5` for one campaign.", "id:5"],
  "reportPromoters.q": [
    "Text to search for in names and e-mail addresses, or `id:5` for one promoter.",
    "id:5",
  ],
  "reportTrafficSources.q": ["Text to search for in sources, or `id:…` for one.", "news.example"],
  "reportUrls.q": ["Text to search for in addresses, or `id:…` for one.", "/pricing"],
  "downloadReport.q": ["The same as in the report.", "id:5"],
  "reportOverview.group_by": "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
  "reportCampaigns.group_by": "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
  "reportPromoters.group_by": "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
  "reportTrafficSources.group_by":
    "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
  "reportUrls.group_by": "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
  "downloadReport.group_by": "Whether each row is a day, a week, a month or a year. Weeks begin on Monday.",
  report_type: "Which report the file holds.",
  totals: "`true` adds a row for the whole range. Default: `false`.",
  data: "The chosen columns. Amounts are in cents, rates in percent.",
  sub_data: "The same for each period.",
  period_from: ["First day of the chart.", "2026-03-01"],
  period_to: ["Last day of the chart.", "2026-03-31"],
  selection: "What the chart shows. Revenue is in cents.",
  selection_items: ["The points of the chart.", [["2026-03-01", 340]]],
  "PromoterCampaignChart.selection_items": ["The points of the chart.", [{ date: "2026-03-01", value: 340 }]],
  "PromoterChart.group_by": "The time from one point to the next. It fits the length of the chart.",
  "PromoterCampaignChart.group_by": "The time from one point to the next. It fits the length of the chart.",
  date: ["First day of the point.", "2026-03-01"],
  "selection_items.value": ["What was counted.", 340],
  with_totals: "`true` adds the sum. Default: `false`.",
  "PromoterCampaignChart.total": ["The sum of the points.", 340],
  "ReferralLink.id": ["Id of the campaign's page. 0: the usual link.", 0],
  "ReferralLink.name": ["Name of the page.", "Pricing"],
  "ReferralLink.url": ["The promoter's link to the page.", "https://www.example.com/pricing?via=jane"],
  "ReferralLink.is_default": "Whether it is the promoter's usual link.",
  "ReferralLink.source": "Whose page the link leads to.",
  "ReferralLink.sub_id": ["Always null.", null],
  "TrafficSourceReport.source": [
    "The site that visitors came from, otherwise `utm_source`, otherwise `direct`. `other`: those beyond the first thousand.",
    "news.example",
  ],
  "TrafficSourceReport.id": ["Id of the source.", "5d41402abc4b2a76b9719d911017c592"],
  "UrlReport.url": [
    "The page that visitors reached, without its query. `other`: those beyond the first thousand.",
    "https://www.example.com/pricing",
  ],
  "UrlReport.id": ["Id of the page.", "5d41402abc4b2a76b9719d911017c592"],
  "ReportRow.period": ["The day, month or year. A week is named by its first day.", "2026-03"],
  "ReportRow.id": ["The first day of the period.", "2026-03-01"],
  ...Object.fromEntries(
    Object.entries(SORTS).map(([name, value]) => [`sorting.${name}`, `By the ${value}.`]),
  ),
  ...inData({
    net_revenue_amount: ["Sum of the sales less the refunds, in cents.", 240_000],
    promoter_earnings_amount: ["What promoters earned, in cents.", 50_000],
    promoter_paid_amount: ["What promoters were paid, in cents.", 40_000],
    "3m_epc": ["Earnings for each click over three months, in cents.", 147],
    "6m_epc": ["Earnings for each click over six months, in cents.", 152],
    signups_count: ["How many people signed up by themselves. Leads that you added are not counted.", 40],
  }),
};

/** Operations of V2's reports. */
export const REPORT_OPERATIONS: Operations = {
  "GET /api/v2/company/reports/overview": [
    "reportOverview",
    `Shows the account's figures period by period. ${QUERY}`,
  ],
  "GET /api/v2/company/reports/campaigns": ["reportCampaigns", `Shows each campaign's figures. ${QUERY}`],
  "GET /api/v2/company/reports/promoters": [
    "reportPromoters",
    `Shows the figures of each promoter who had any, those with the most revenue first. ${QUERY}`,
  ],
  "GET /api/v2/company/promoters/:id/chart_data": [
    "chartPromoter",
    "Shows how a figure of a promoter went over time, over all campaigns.",
  ],
  "GET /api/v2/company/promoter_campaigns/:id/chart_data": [
    "chartPromoterCampaign",
    "Shows how a figure of a promoter went over time in one campaign.",
  ],
  "GET /api/v2/company/promoter_campaigns/:id/referral_links": [
    "listReferralLinks",
    "Lists a promoter's links: the usual one, and those to the campaign's further pages.",
  ],
  "GET /api/v2/company/reports/traffic_sources": [
    "reportTrafficSources",
    `Shows the figures of each site that visitors came from, those with the most clicks first. ${QUERY}`,
  ],
  "GET /api/v2/company/reports/urls": [
    "reportUrls",
    `Shows the figures of each page that visitors reached, those with the most clicks first. ${QUERY}`,
  ],
  "GET /api/v2/company/reports/download": [
    "downloadReport",
    "Answers a whole report as a CSV file, with a line for each period.",
  ],
};

function inData(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, entry]) => [`ReportData.${name}`, entry]));
}
