import type { Fields, Operations } from "./entry.ts";

/** Fields of the settings that the dashboard shows. */
export const SETTINGS_FIELDS: Fields = {
  "Mail.is_set_up": "Whether the server can send e-mails.",
  "Mail.server": [
    "The mail server, without user and password. null: mail is not set up.",
    "smtps://mail.acme.example:465",
  ],
  "Mail.sender": [
    "The sender of the account's e-mails. null: mail is not set up, and the account has no sender of its own.",
    "Acme <team@acme.example>",
  ],
  "Mail.emails": "How many e-mails of the account have each status. Finished ones are kept for 30 days.",
  "emails.pending": ["E-mails that are about to be sent.", 2],
  "emails.retrying": ["E-mails that failed and are tried again.", 0],
  "emails.held": ["E-mails that wait until mail is set up.", 0],
  "emails.delivered": ["E-mails that the mail server accepted.", 314],
  "emails.failed": ["E-mails that were given up.", 1],
  "MailTest.sent": "Whether the mail server accepted the e-mail.",
  "MailTest.to": ["Your own address.", "alex@acme.example"],
  "MailTest.response_code": [
    "The code that the mail server refused with. null: it accepted the e-mail, or did not answer.",
    550,
  ],
  "MailTest.error": [
    "Why the e-mail was not sent. null: it was.",
    "Can't send mail - all recipients were rejected: 550 No such user",
  ],
};

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
