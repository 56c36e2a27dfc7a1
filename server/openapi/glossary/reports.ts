import type { Operations } from "./entry.ts";

const QUERY = "Choose `columns`, the days, and whether each row is a day, week, month or year.";

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
