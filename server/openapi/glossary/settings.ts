import type { Operations } from "./entry.ts";

/** Operations of these settings. */
export const SETTINGS_OPERATIONS: Operations = {
  "GET /api/v2/company/mail": [
    "showMail",
    "Shows whether the server can send e-mails, by which server and sender, and how many wait or have failed.",
  ],
  "POST /api/v2/company/mail/test": [
    "testMail",
    "Sends an e-mail to your own address at once, and shows what the mail server answered. The status is 200 even if it refused. Only for signed-in people.",
  ],
  "GET /api/v2/company/exports/promoters": [
    "exportPromoters",
    "All promoters, with their first campaign, as a CSV file, oldest first. Amounts have decimals, and texts that a spreadsheet would run as a formula begin with `'`. The audit log keeps who took it.",
  ],
  "GET /api/v2/company/exports/referrals": [
    "exportReferrals",
    "All leads, with their promoters, as a CSV file, oldest first. Amounts have decimals, and texts that a spreadsheet would run as a formula begin with `'`. The audit log keeps who took it.",
  ],
  "GET /api/v2/company/exports/commissions": [
    "exportCommissions",
    "All commissions, with their promoters and leads, as a CSV file, oldest first. Amounts have decimals, and texts that a spreadsheet would run as a formula begin with `'`. The audit log keeps who took it.",
  ],
  "GET /api/v2/company/exports/payouts": [
    "exportPayouts",
    "All payouts, with their promoters, as a CSV file, oldest first. Amounts have decimals, and texts that a spreadsheet would run as a formula begin with `'`. The audit log keeps who took it.",
  ],
};
