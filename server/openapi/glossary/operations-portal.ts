import type { Operations } from "./entry.ts";
import { PROMOTING_OPERATIONS } from "./operations-promoting.ts";

/** Operations of the portal, below `/api/v2/affiliate`. */
const OPERATIONS: Operations = {
  "GET /session": ["getPortalSession", "Shows the promoter who is signed in, and their account."],
  "POST /session": [
    "signInToPortal",
    "Signs a promoter in by e-mail address and password, and sets the cookie `tidemark_portal`. A `temp_password` works once; until it is replaced, every other operation is refused with 403.",
    { email: "jane@example.com", password: "correct horse battery" },
  ],
  "DELETE /session": ["signOutOfPortal", "Ends the session."],
  "POST /session/link": [
    "useSignInLink",
    "Signs a promoter in by the token of a link, which works once. A link of the kind `setup` needs a new password; any other may bring one.",
    { token: "0.1.h.mg8k2j3v.q3kPz0Yc8Vw1Rb6Xn5Tj2Ms9Lf4Hd7Gaq3kPz0Yc8Vw" },
  ],
  "POST /session/link/send": [
    "sendSignInLink",
    "Sends a link that signs in, once, within 15 minutes. The answer is the same whether or not a promoter has the address.",
  ],
  "POST /session/link/check": ["checkSignInLink", "Shows what a link is for, without using it up."],
  "GET /promoters/current": [
    "getCurrentPromoter",
    "Shows the promoter who is signed in, with their figures and what they have earned.",
  ],
  "PUT /promoters/current": [
    "updateCurrentPromoter",
    "Changes the promoter's profile. What you leave out stays. Changed invoice details wait for approval again.",
    { profile: { first_name: "Jane", website: "https://blog.example.com" } },
  ],
  "POST /promoters/set_password": [
    "setPortalPassword",
    "Sets the promoter's password and ends all their other sessions. Whoever has a password must name it.",
    { password: "correct horse battery", current_password: "s3cret-start" },
  ],
  "GET /promoters/chart_data": [
    "getPortalChart",
    "Shows one figure of the promoter over time: by day, week, month or year, as fits the range.",
  ],
  "GET /promoters/sub_affiliates": [
    "listSubAffiliates",
    "Lists the promoters whom this one brought in, newest first. Addresses are masked.",
  ],
  "GET /campaigns": [
    "listPortalCampaigns",
    "Lists all campaigns that the promoter is in, and those that are open to everybody.",
  ],
  "POST /campaigns/:id/join": [
    "joinPortalCampaign",
    "Joins a campaign. It waits for the company's approval if the campaign says so.",
    { terms_accepted: true },
  ],
  "GET /promoter_campaigns": [
    "listOwnPromoterCampaigns",
    "Lists the promoter's part in each campaign, with the link to share.",
  ],
  "PUT /promoter_campaigns/:id": [
    "updateOwnPromoterCampaign",
    "Changes the referral id. Links with the old one stop working.",
  ],
  "GET /commissions": [
    "listOwnCommissions",
    "Lists the promoter's commissions, newest first, each with its reason in one sentence.",
  ],
  "GET /commissions/export": [
    "exportOwnCommissions",
    "Downloads the newest 10,000 commissions as CSV. Amounts are in cents.",
  ],
  "GET /payouts": ["listOwnPayouts", "Lists the promoter's payouts, newest first."],
  "GET /payouts/due_stats": [
    "getOwnDueStats",
    "Shows the sums that are due next, overdue, and due on other terms.",
  ],
  "GET /payouts/export": [
    "exportOwnPayouts",
    "Downloads the newest 10,000 payouts as CSV. Amounts are in cents.",
  ],
  "GET /payouts/:id/receipt": ["getPayoutReceipt", "Shows the receipt of a payout that was paid."],
  "GET /payout_methods": ["listOwnPayoutMethods", "Lists the ways in which the promoter can be paid."],
  "POST /payout_methods": [
    "createOwnPayoutMethod",
    "Adds a way to be paid. `bank` needs an IBAN, or an account number with a bank code; `paypal` needs `wallet_email`, `wise` `wise_email`, `crypto` `wallet_address` and `crypto_currency`.",
    { method: "paypal", details: { wallet_email: "jane@wallet.example" } },
  ],
  "GET /payout_methods/:id": ["getOwnPayoutMethod", "Shows a payout method of the promoter."],
  "PUT /payout_methods/:id": [
    "updateOwnPayoutMethod",
    "Replaces the details of a payout method. Once a payout has used it, this makes a new method, with its own id.",
    { details: { wallet_email: "jane@wallet.example" } },
  ],
  "DELETE /payout_methods/:id": ["deleteOwnPayoutMethod", "Removes a payout method that no payout has used."],
  "POST /payout_methods/:id/select": [
    "selectOwnPayoutMethod",
    "Chooses the payout method that is used from now on.",
  ],
  "GET /invoice_details": ["getInvoiceDetails", "Shows what invoices say about the promoter."],
  "PUT /invoice_details": [
    "updateInvoiceDetails",
    "Changes what invoices say about the promoter. The company has to approve it again.",
    { company_name: "Doe Media Ltd", country: "US" },
  ],
  "GET /email_settings": ["getEmailSettings", "Shows which e-mails the promoter wants."],
  "PUT /email_settings/:id": [
    "updateEmailSettings",
    "Chooses the e-mails that the promoter wants; the id is the promoter's own. What you leave out stays. A promoter who had unsubscribed gets those that are on.",
    { emails_opt_new_referral: false },
  ],
  "GET /reports/overview": ["getOwnReport", "Reports on the promoter's figures, period by period."],
  "GET /reports/sub_ids": [
    "getOwnSubIdReport",
    "Reports on the promoter's channels: the `sub_id` of the links that visitors came by. Those with the most clicks come first.",
  ],
  "GET /reports/download": ["downloadOwnReport", "Downloads the report on the promoter's figures as CSV."],
};

export const PORTAL_OPERATIONS: Operations = {
  ...Object.fromEntries(
    Object.entries({ ...OPERATIONS, ...PROMOTING_OPERATIONS }).map(([route, words]) => [
      route.replace(" ", " /api/v2/affiliate"),
      words,
    ]),
  ),
  "POST /api/v2/promoters/iframe_login": [
    "openPortalFrame",
    "Gives an access token for one promoter, for 24 hours. Show the portal within your product at `/iframe?tk=…` (with `&campaign_id=…` that campaign comes first), or call the portal's operations with the token.",
  ],
  "POST /api/v2/promoters/iframe_logout": ["closePortalFrame", "Ends all sessions of one promoter."],
  "POST /api/v2/company/promoters/:id/portal_view": [
    "viewPortal",
    "Opens a promoter's portal for 15 minutes, read-only. The audit log keeps who looked.",
  ],
  "GET /api/v2/join/:campaign": [
    "showJoinPage",
    "Shows what anybody may know about a campaign before they join. A private campaign is answered like an unknown one.",
  ],
  "POST /api/v2/join/:campaign/invitation": [
    "showInvitation",
    "Shows the same to somebody who has the invitation. It does not use the invitation up.",
  ],
  "POST /api/v2/join/:campaign": [
    "joinProgram",
    "Makes a promoter and sends an e-mail with a link. A known address gets the same answer, and another e-mail, so that nobody can ask who is a promoter.",
    {
      email: "jane@example.com",
      password: "correct horse battery",
      first_name: "Jane",
      terms_accepted: true,
    },
  ],
};
