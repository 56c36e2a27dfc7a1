/** Sentences on what a campaign pays and why, on pages and in e-mails. */
export const texts = {
  "unit.credits": "{count, plural, one {# credit} other {# credits}}",
  "unit.points": "{count, plural, one {# point} other {# points}}",
  "unit.free_months": "{count, plural, one {# free month} other {# free months}}",
  "unit.mon_discount": "{count, plural, one {# month of discount} other {# months of discount}}",
  "unit.discount_per": "{count, plural, other {#% discount}}",
  "unit.name.credits": "credits",
  "unit.name.points": "points",
  "unit.name.free_months": "free months",
  "unit.name.mon_discount": "mon discount",
  "unit.name.discount_per": "discount per",

  // what a campaign pays: parts of two sentences, with their own blanks and commas
  earn: "You earn {given}{base}{sales}{length}{condition}.",
  "earn.once": "You earn {given} once{condition}.",
  "earn.and": "{one} and {other}",
  "earn.and_if": "{one}, and {other}",
  "earn.goal": "{share} of the sale that reaches the goal",
  "earn.unit": "{share} in {unit}",
  "base.share": " of each sale",
  "base.flat": " for each sale",
  "base.share.below": " of each sale of {promoters}",
  "base.flat.below": " for each sale of {promoters}",
  "base.earned.below": " of what is earned by each sale of {promoters}",
  "base.left.below": " of what is left of each sale of {promoters}",
  "below.next": "promoters whom you bring in",
  "below.far": "{levels, plural, one {promoters # level below you} other {promoters # levels below you}}",
  "sales.monthly": " of a monthly plan",
  "sales.yearly": " of a yearly plan",
  "sales.one_time": " without a subscription",
  "sales.specific": " of some products",
  "sales.products": " of {products}",
  "length.once": ", for a customer's first sale only",
  "length.always": ", for as long as the customer buys",
  "length.months": ", for {months, plural, one {# month} other {# months}} after the customer's first one",
  "rule.first": ", if {rule}",
  "rule.and": "{rules} and {rule}",
  "rule.or": "{rules} or {rule}",
  "rule.price": "{rule} (plan {price})",
  "operator.less than": "less than",
  "operator.less than or equal to": "less than or equal to",
  "operator.equal to": "equal to",
  "operator.greater than or equal to": "greater than or equal to",
  "operator.greater than": "greater than",
  "operator.multiple of": "multiple of",
  "approval.review": "Each commission is reviewed before it is approved.",
  "approval.now": "Commissions are approved immediately.",
  "approval.days": "Commissions are approved {days, plural, one {# day} other {# days}} after the sale.",
  paying: "Commissions approved in {period} are paid {when}{least}.",
  "paying.monthly": "a month",
  "paying.biweekly": "two weeks",
  "paying.weekly": "a week",
  "paying.end": "at its end",
  "paying.days": "{days, plural, one {# day after its end} other {# days after its end}}",
  "paying.least": ", if they add up to at least {amount}",
  click:
    "A click counts for {days, plural, one {# day} other {# days}}: everyone who signs up within that time is yours. {whose}",
  "click.last": "If a visitor followed links of several promoters, the last one counts.",
  "click.first": "If a visitor followed links of several promoters, the first one counts.",

  // why a promoter has a commission; `buyer` has its own blank
  "reason.buyer": " to {lead}",
  "reason.corrected": "Corrected, because the exact amount of a sale{buyer} became known.",
  "reason.won": "Given back, because a dispute of a sale{buyer} was won.",
  "reason.refunded": "Taken back, because a sale{buyer} was refunded.",
  "reason.share": "{share} of a sale of {amount}{buyer}{split}.",
  "reason.share.below":
    "{share} of a sale of {amount}{buyer} that a promoter below you made (level {level}){split}.",
  "reason.flat": "“{reward}” for a sale of {amount}{buyer}{split}.",
  "reason.flat.below":
    "“{reward}” for a sale of {amount}{buyer} that a promoter below you made (level {level}){split}.",
  "reason.split": ", of which your share is {share}",
  "reason.reward": "Reward",
  "reason.sale": "For a sale of {amount}{buyer}.",
  "reason.by_hand": "Given to you by hand.",
  "reason.set_off":
    "Set off between two campaigns: what you owed in one was paid by what you earned in another.",
  "payment.unclaimed":
    "The money waits for you. Sign in at the provider with the address of your payout method, and accept it.",
  "payment.failed": "The payment failed. Check your payout method, or choose another one.",
  "payment.returned": "The money came back. Check your payout method, or choose another one.",

  // the paper of an invoice; its title has the term that the law wants
  "paper.invoice": "Self-billing invoice",
  "paper.credit_note": "Self-billing credit note",
  "paper.draft": "Draft",
  "paper.number": "Number",
  "paper.date": "Date",
  "paper.cancels": "Cancels invoice",
  "paper.supplier": "Supplier",
  "paper.customer": "Customer",
  "paper.vat_id": "VAT ID {number}",
  "paper.tax_number": "Tax number {number}",
  "paper.registration_number": "Registration number {number}",
  "paper.commissions": "Commissions for referrals",
  "paper.payout": "Payout",
  "paper.campaign": "Campaign",
  "paper.period": "Period",
  "paper.period.days": "{from} to {to}",
  "paper.amount": "Amount",
  "paper.net": "Net amount",
  "paper.tax": "Tax, {rate} %",
  "paper.total": "Total",
  "paper.reverse_charge":
    "Reverse charge: the customer owes the value added tax (articles 44 and 196 of Directive 2006/112/EC).",
  "paper.self_billing":
    "Written by {company} in the name of {promoter}, who agreed to it on {date} (version {version} of the agreement).",

  // how a promoter is paid, after "by"
  "method.bank": "bank transfer",
  "method.crypto": "crypto wallet",
  "method.custom": "another way",
  "method.paypal": "PayPal",
  "method.wise": "Wise",
  "method.dots": "Dots",

  // before the script of a page has run
  "page.portal": "Promoter portal",
  "page.join": "Become a promoter",
  "page.no_script": "This page needs JavaScript",
  "page.no_script.text": "Allow scripts for this address, then reload it.",
  "page.no_script.api": "Programs can do all of this through the API:",

  // pages that promoters reach by a link
  "page.emails": "E-mails",
  "page.emails.ask": "Do you want to stop these e-mails?",
  "page.emails.stop": "Unsubscribe",
  "page.emails.stopped": "You will not get these e-mails any more.",
  "page.method": "Your payout method",
  "page.method.ask":
    "Did someone else change your payout method? If so, press the button. You are not paid until the company has spoken with you.",
  "page.method.not_me": "This was not me",
  "page.method.held":
    "Thank you. Your payouts are on hold, and we have told the company. Now choose a new password in your portal, and check your payout method.",
  "page.link.used": "This link has been used already.",
  "page.link.invalid": "This link is not valid.",
  "page.entry.used": "This link was used a moment ago. It works again in a minute.",
  "page.entry.too_many": "There were too many attempts to sign in. Try again in a few minutes.",
  "page.entry.current": "You are signed in as {name}.",
  "page.entry.ask": "Sign in as {name}?",
  "page.entry.change": "Sign in as {name}",
  "page.entry.stay": "Stay signed in as {name}",
} as const;

const portal = "You can find everything in your portal: {{portal_url}}";
const notYou = "If you did not ask for this, ignore this e-mail.";
const confirmation = {
  subject: "Confirm your address for {{campaign_name}}",
  paragraphs: [
    "Someone has applied to {{campaign_name}} of {{company_name}} with this e-mail address. If it was you, open this link to confirm the address:",
    "{{sign_in_url}}",
    "If it was not you, ignore this e-mail.",
  ],
};

/** The e-mails to promoters, with `{{name}}` as placeholders. */
export const mails = {
  signup_accepted: {
    subject: "Welcome to {{campaign_name}}",
    paragraphs: [
      "You are now a promoter of {{company_name}}. This is your link. It tells us which visitors you sent:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  accepted: {
    subject: "You have been accepted to {{campaign_name}}",
    paragraphs: [
      "{{company_name}} has accepted you. This is your link. It tells us which visitors you sent:",
      "{{ref_link}}",
      "{{offer}}",
      portal,
    ],
  },
  rejected: {
    subject: "Your application to {{campaign_name}}",
    paragraphs: [
      "Thank you for your interest. {{company_name}} can't accept you into {{campaign_name}} at this time.",
    ],
  },
  new_referral: {
    subject: "You have a new lead",
    paragraphs: ["Someone signed up at {{company_name}} through your link {{ref_link}}.", portal],
  },
  new_referrals: {
    subject: "You have more new leads",
    paragraphs: [
      "Further people have signed up at {{company_name}} through your link {{ref_link}}. Their number: {{count}}.",
      portal,
    ],
  },
  new_commission: {
    subject: "You have earned a commission",
    paragraphs: ["{{company_name}} has credited you {{amount}} for {{campaign_name}}.", portal],
  },
  payout_sent: {
    subject: "Your payout was sent",
    paragraphs: ["{{company_name}} has sent you a payout of {{amount}} for {{campaign_name}}.", portal],
  },
  new_links: {
    subject: "Your new link for {{campaign_name}}",
    paragraphs: [
      "{{company_name}} has moved its program to a new system. Your earnings have been kept. From now on this is your link:",
      "{{ref_link}}",
      "Please replace your old link with it everywhere.",
      portal,
    ],
  },
  sign_in_link: {
    subject: "Your link to {{company_name}}",
    paragraphs: ["This link signs you in. It works once, for 15 minutes:", "{{sign_in_url}}", notYou],
  },
  join_accepted: confirmation,
  join_waiting: confirmation,
  promoter_invitation: {
    subject: "{{company_name}} invites you to {{campaign_name}}",
    paragraphs: [
      "{{company_name}} has made you a promoter of {{campaign_name}}.",
      "{{message}}",
      "{{offer}}",
      "This is your link. It tells us which visitors you sent:",
      "{{ref_link}}",
      "Open this link to choose a password for your portal, where you see what you have earned. It works once, for seven days:",
      "{{sign_in_url}}",
    ],
  },
  payout_method_changed: {
    subject: "Your payout method was changed",
    paragraphs: [
      "Your payout method at {{company_name}} was changed on {{changed_on}}. From now on you are paid by {{method}}. If it was you, all is well.",
      "If it was not you, open this link. It works once, and {{company_name}} pays you nothing until they have spoken with you:",
      "{{not_me_url}}",
    ],
  },
  payment_unclaimed: {
    subject: "{{amount}} waits for you",
    paragraphs: [
      "{{company_name}} has paid you {{amount}} by {{provider}}. The money waits for you there: sign in with the address of your payout method, and accept it. Otherwise it goes back after some weeks.",
      portal,
    ],
  },
  payment_failed: {
    subject: "Your payment of {{amount}} failed",
    paragraphs: [
      "{{company_name}} wanted to pay you {{amount}} by {{provider}}, and {{provider}} could not do it. You have lost nothing: the amount is still owed to you. Check your payout method, or choose another one.",
      portal,
    ],
  },
  payment_returned: {
    subject: "Your payment of {{amount}} came back",
    paragraphs: [
      "{{company_name}} has paid you {{amount}} by {{provider}}, and the money came back. You have lost nothing: the amount is still owed to you. Check your payout method, or choose another one.",
      portal,
    ],
  },
  stripe_incomplete: {
    subject: "Stripe needs more from you",
    paragraphs: [
      "You can't be paid by {{company_name}} by Stripe at the moment, because Stripe needs more from you. Go on with Stripe's form in your portal: {{portal_url}}",
    ],
  },
  stripe_ready: {
    subject: "You can be paid by Stripe",
    paragraphs: [
      "Your account at Stripe is ready, and {{company_name}} can pay you by it. You need not do anything.",
    ],
  },
  stripe_restricted: {
    subject: "You can't be paid by Stripe at the moment",
    paragraphs: [
      "Your account at Stripe is restricted, and {{company_name}} can't pay you by it at the moment. You have lost nothing. Your portal shows what you can do; you can also choose another payout method there: {{portal_url}}",
    ],
  },
  address_known: {
    subject: "You already have an account with {{company_name}}",
    paragraphs: [
      "Someone wanted to join {{campaign_name}} with your e-mail address. You already have an account. If it was you, this link signs you in. It works once, for 15 minutes:",
      "{{sign_in_url}}",
      notYou,
    ],
  },
};

/** What all e-mails to promoters share. `hello` is for addresses whose owner is unknown. */
export const frame = {
  greeting: "Hello {{first_name}},",
  hello: "Hello,",
  open: "Continue",
  unsubscribe: "Unsubscribe from these e-mails:",
};

/** An e-mail: its subject and its paragraphs between the greeting and the company's name. */
interface Mail {
  subject: string;
  paragraphs: string[];
}

/** The kinds of e-mails that exist in all languages. */
export type TranslatedMail = keyof typeof mails;

/** The texts of the server in one language, without the words for rules of rewards (`languages.ts`). */
export interface Catalogue {
  texts: { [Key in keyof typeof texts]: string };
  mails: Record<TranslatedMail, Mail>;
  frame: Record<keyof typeof frame, string>;
}

export const en: Catalogue = { texts, mails, frame };
