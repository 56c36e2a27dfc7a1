import type { Operations } from "./entry.ts";

/** The operations of the start page. */
export const HOME_OPERATIONS: Operations = {
  "GET /api/v2/company/home": [
    "showHome",
    "Shows a range of days beside the one before it, what waits for somebody, and the latest leads. A range of less than two months is shown by day, of less than a year by week, of less than four years by month.",
  ],
  "GET /api/v2/company/setup": [
    "showSetup",
    "Shows which steps of setting an account up are done: the script, a campaign, the first promoter, click, lead and sale.",
  ],
  "POST /api/v2/company/setup/script": [
    "checkScript",
    "Fetches a campaign's landing page and tells whether the script is on it, with your account id. Private addresses are not fetched, unless the server allows them for webhooks.",
    { campaign_id: 1 },
  ],
};
