import type { Fields, Operations } from "./entry.ts";

const FIGURE = (what: string) => `${what}, with the range before.`;

/** Descriptions of the start page's fields. */
export const HOME_FIELDS: Fields = {
  "showSetup.script_seen":
    "Where a site of your campaigns loaded the script last. null: none did. Tag managers are seen here, too.",
  "ScriptSighting.site": ["The site.", "https://www.acme.example"],
  "ScriptSighting.at": ["When, exact to an hour.", "2026-03-04T05:06:07.890Z"],
  "checkScript.campaign_id": ["The campaign whose landing page is fetched.", 1],
  "ScriptCheck.result":
    "`found`: the page loads the script for your account. `other_account`: it loads the script for another account, or for none. `tag_manager`: a tag manager may load it, which the page does not show. `not_found`: it is not on the page. `not_fetched`: the page could not be read.",
  "ScriptCheck.url": ["The page, after redirects.", "https://www.acme.example/"],
  "ScriptCheck.other_account_id": ["The account that the page names instead. null: none.", "globex"],
  "ScriptCheck.error": ["Why the page could not be read. null: it could.", "Answered 404"],
  "showHome.start_date": ["First day (UTC).", "2026-02-01"],
  "showHome.end_date": ["Last day (UTC), included.", "2026-02-28"],
  "showHome.previous_start_date": ["First day of the range before, which is as long.", "2026-01-04"],
  "showHome.previous_end_date": ["Last day of the range before.", "2026-01-31"],
  "showHome.group_by": "How the days are grouped into points.",
  "showHome.figures": "Figures of the range, each with the range before.",
  "showHome.rates": "Shares, in percent.",
  "showHome.tasks": "What waits for somebody, whatever the range.",
  "showHome.latest_referrals": "The newest leads.",
  "figures.clicks_count": FIGURE("Clicks"),
  "figures.referrals_count": FIGURE("Leads"),
  "figures.customers_count": FIGURE("Customers won"),
  "figures.revenue_amount": FIGURE("Sum of the sales, in cents"),
  "figures.owed_amount": FIGURE("What promoters are owed at the end of each point, in cents"),
  "HomeFigure.total": ["The figure over the range.", 320],
  "HomeFigure.previous_total": ["The figure over the range before.", 256],
  "HomeFigure.change_percent": ["The change, in percent. Null if the range before had nothing.", 25],
  "HomeFigure.points": "The figure over time, oldest first.",
  "HomeFigure.previous_points": "The figure over the range before.",
  "HomePoint.date": ["First day of the point.", "2026-02-01"],
  "HomePoint.value": ["The figure.", 12],
  "rates.clicks_to_referrals_cr": ["Leads of a hundred clicks.", 8.5],
  "rates.referrals_to_customers_cr": ["Customers of a hundred leads.", 24.5],
  "rates.clicks_to_customers_cr": ["Customers of a hundred clicks.", 2.1],
  "Tasks.pending_promoters": "Promoters who wait to be accepted in a campaign.",
  "Tasks.proposed_referrals": "Leads that promoters added by hand, and that wait for your approval.",
  "Tasks.suspicious_referrals": "Leads under suspicion that nobody has disabled.",
  "Tasks.pending_commissions": "Commissions that wait for approval, held ones included.",
  "Tasks.pending_payouts": "Payouts that wait to be paid.",
  "Tasks.failing_webhooks": "Active webhooks whose latest attempt failed.",
  "Tasks.waiting_events":
    "Sales and refunds that wait for exchange rates. Store the rates (`POST /api/v2/company/rates`, or `tidemark rates import`), and they are recorded within a minute.",
  "waiting_events.count": ["How many, with those that failed.", 3],
  "waiting_events.failed_count": [
    "How many were refused although there was a rate. `GET /api/v2/company/waiting_events` says why.",
    0,
  ],
  "waiting_events.currencies": ["The currencies whose rates are missing.", ["EUR", "KRW"]],
  "pending_promoters.count": ["How many.", 2],
  "proposed_referrals.count": ["How many.", 2],
  "suspicious_referrals.count": ["How many.", 3],
  "pending_commissions.count": ["How many.", 14],
  "pending_commissions.amount": ["Their sum in money, in cents.", 42_000],
  "pending_payouts.count": ["How many, in money or not.", 5],
  "pending_payouts.promoters_count": ["How many promoters wait for money.", 3],
  "pending_payouts.total_incl_tax": ["Their sum in money with tax, in cents.", 123_400],
  "failing_webhooks.count": ["How many.", 1],
  "showSetup.has_customer": "Whether a lead has become a customer.",
  "showSetup.steps": "The steps of setting an account up.",
  "SetupSteps.script": "A page loads the script.",
  "SetupSteps.landing_page": "A campaign leads to a page other than the demo.",
  "SetupSteps.promoter": "There is a promoter.",
  "SetupSteps.click": "There was a click on a referral link.",
  "SetupSteps.referral": "There is a lead.",
  "SetupSteps.sale": "There was a sale.",
  "SetupSteps.webhook": "There is a webhook.",
  "SetupSteps.mail": "The server can send e-mails.",
};

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
