import {
  ACCESS_EMAIL_KINDS,
  EMAIL_KINDS,
  MONEY_EMAIL_KINDS,
  OWNER_EMAIL_KINDS,
  SWITCH_EMAIL_KINDS,
  USER_EMAIL_KINDS,
  type Email,
} from "../domain/events/email.ts";
import { escapeHtml, fill, onOneLine, type WrittenEmail } from "../outgoing/email-text.ts";
import { openPlace, type Place } from "../outgoing/place.ts";

/** The text of an e-mail, with `{{name}}` as placeholders. */
interface Template {
  subject: string;
  text: string;
  html: string;
}

export type Templates = Record<Email["kind"], Template>;

/**
 * Reads all e-mail templates from the operator's folder or driver (`accepted.subject.txt`, `accepted.txt`,
 * `accepted.html`). Built-in templates replace missing files. An unreadable place stops the start, because an
 * e-mail with the wrong text can't be taken back.
 *
 * @throws Error in one sentence for a place that does not exist, and for a file that can't be read
 */
export async function readTemplates(address: string | null): Promise<Templates> {
  if (address === null) return EMAIL_TEXTS;
  const place = openPlace(address, "MAIL_TEMPLATES");
  try {
    const read = async (kind: Email["kind"]) => [kind, await readTemplate(place, kind)] as const;
    return Object.fromEntries(
      await Promise.all(
        [
          ...EMAIL_KINDS,
          ...ACCESS_EMAIL_KINDS,
          ...SWITCH_EMAIL_KINDS,
          ...USER_EMAIL_KINDS,
          ...MONEY_EMAIL_KINDS,
          ...OWNER_EMAIL_KINDS,
        ].map(read),
      ),
    ) as Templates;
  } finally {
    await place.close();
  }
}

/** The content of an e-mail. */
interface EmailContent {
  kind: Email["kind"];
  values: Email["values"];
}

/** Fills in a template. Each value is escaped for its context. Unknown names become empty. */
export function writeEmail(templates: Templates, { kind, values }: EmailContent): WrittenEmail {
  const { subject, text, html } = templates[kind];
  return {
    // A line break, in a value or in the template, would start another header.
    subject: onOneLine(fill(subject, values, onOneLine)),
    // A value is a word or two. A value of several lines could pass for text of ours; only the company's
    // message may have them.
    text: withoutGaps(fill(text, values, (value, name) => (name === "message" ? value : onOneLine(value)))),
    html: fill(html, values, (value, name) =>
      name === "message" ? escapeHtml(value).replaceAll("\n", "<br>") : escapeHtml(value),
    ).replaceAll("<p></p>\n", ""),
  };
}

/** An empty value leaves no empty lines. */
function withoutGaps(text: string): string {
  return text.replace(/\n{3,}/g, "\n\n");
}

const GREETING = "Hello {{first_name}},";
const PORTAL = "You can find everything in your portal: {{portal_url}}";
const NOT_YOU = "If you did not ask for this, ignore this e-mail.";

/** It goes to an unconfirmed address. */
const CONFIRMATION = firstEmail("Confirm your address for {{campaign_name}}", [
  "Someone has applied to {{campaign_name}} of {{company_name}} with this e-mail address. If it was you, open this link to confirm the address:",
  "{{sign_in_url}}",
  "If it was not you, ignore this e-mail.",
]);

/**
 * The default text of each e-mail. Operators may replace them.
 *
 * @see MAIL_TEMPLATES in docs/operators.md
 */
export const EMAIL_TEXTS: Record<Email["kind"], Template> = {
  signup_accepted: email("Welcome to {{campaign_name}}", [
    "You are now a promoter of {{company_name}}. This is your link. It tells us which visitors you sent:",
    "{{ref_link}}",
    "{{offer}}",
    PORTAL,
  ]),
  accepted: email("You have been accepted to {{campaign_name}}", [
    "{{company_name}} has accepted you. This is your link. It tells us which visitors you sent:",
    "{{ref_link}}",
    "{{offer}}",
    PORTAL,
  ]),
  rejected: email("Your application to {{campaign_name}}", [
    "Thank you for your interest. {{company_name}} can't accept you into {{campaign_name}} at this time.",
  ]),
  new_referral: email("You have a new referral", [
    "Someone signed up at {{company_name}} through your link {{ref_link}}.",
    PORTAL,
  ]),
  new_commission: email("You have earned a commission", [
    "{{company_name}} has credited you {{amount}} for {{campaign_name}}.",
    PORTAL,
  ]),
  payout_sent: email("Your payout was sent", [
    "{{company_name}} has sent you a payout of {{amount}} for {{campaign_name}}.",
    PORTAL,
  ]),
  new_links: email("Your new link for {{campaign_name}}", [
    "{{company_name}} has moved its program to a new system. Your earnings have been kept. From now on this is your link:",
    "{{ref_link}}",
    "Please replace your old link with it everywhere.",
    PORTAL,
  ]),
  sign_in_link: accessEmail("Your link to {{company_name}}", [
    "This link signs you in. It works once, for 15 minutes:",
    "{{sign_in_url}}",
    NOT_YOU,
  ]),
  join_accepted: CONFIRMATION,
  join_waiting: CONFIRMATION,
  promoter_invitation: firstEmail("{{company_name}} invites you to {{campaign_name}}", [
    "{{company_name}} has made you a promoter of {{campaign_name}}.",
    "{{message}}",
    "{{offer}}",
    "This is your link. It tells us which visitors you sent:",
    "{{ref_link}}",
    "Open this link to choose a password for your portal, where you see what you have earned. It works once, for seven days:",
    "{{sign_in_url}}",
  ]),
  user_invitation: firstEmail("Your invitation to the dashboard of {{company_name}}", [
    "You have been invited to run the affiliate program of {{company_name}}. Open this link to set your password. It works once, for seven days:",
    "{{password_url}}",
  ]),
  user_reset: accessEmail("Set a new password for {{company_name}}", [
    "This link sets a new password for your dashboard. It works once, for a day:",
    "{{password_url}}",
    NOT_YOU,
  ]),
  payout_method_changed: accessEmail("Your payout method was changed", [
    "Your payout method at {{company_name}} was changed on {{changed_on}}. From now on you are paid by {{method}}. If it was you, all is well.",
    "If it was not you, open this link. It works once, and {{company_name}} pays you nothing until they have spoken with you:",
    "{{not_me_url}}",
  ]),
  payment_unclaimed: accessEmail("{{amount}} waits for you", [
    "{{company_name}} has paid you {{amount}} by {{provider}}. The money waits for you there: sign in with the address of your payout method, and accept it. Otherwise it goes back after some weeks.",
    PORTAL,
  ]),
  payment_failed: accessEmail("Your payment of {{amount}} failed", [
    "{{company_name}} wanted to pay you {{amount}} by {{provider}}, and {{provider}} could not do it. You have lost nothing: the amount is still owed to you. Check your payout method, or choose another one.",
    PORTAL,
  ]),
  payment_returned: accessEmail("Your payment of {{amount}} came back", [
    "{{company_name}} has paid you {{amount}} by {{provider}}, and the money came back. You have lost nothing: the amount is still owed to you. Check your payout method, or choose another one.",
    PORTAL,
  ]),
  payouts_held: accessEmail("Look at the payouts of {{promoter}}", [
    "{{promoter}} ({{promoter_email}}) says that someone else has changed their payout method. {{company_name}} pays them nothing until one of you releases their payouts. Speak with them first:",
    "{{dashboard_url}}",
  ]),
  payments_undecided: accessEmail("Nobody knows whether {{count}} arrived", [
    "The provider does not tell what became of {{count}} of {{batches}}. Look for them at the provider, and then say here whether they were paid. Until then nothing is paid again:",
    "{{dashboard_url}}",
  ]),
  address_known: accessEmail("You already have an account with {{company_name}}", [
    "Someone wanted to join {{campaign_name}} with your e-mail address. You already have an account. If it was you, this link signs you in. It works once, for 15 minutes:",
    "{{sign_in_url}}",
    NOT_YOU,
  ]),
};

async function readTemplate({ read }: Place, kind: Email["kind"]): Promise<Template> {
  const own = EMAIL_TEXTS[kind];
  return {
    subject: (await read(`${kind}.subject.txt`)) ?? own.subject,
    text: (await read(`${kind}.txt`)) ?? own.text,
    html: (await read(`${kind}.html`)) ?? own.html,
  };
}

function email(subject: string, sentences: string[]): Template {
  const { text, html } = body(sentences);
  const leave = "Unsubscribe from these e-mails:";
  return {
    subject,
    text: `${text}\n\n--\n${leave} {{unsubscribe_url}}\n`,
    html: `<!doctype html>\n<html><body>\n${html}\n<p><small><a href="{{unsubscribe_url}}">${leave}</a></small></p>\n</body></html>\n`,
  };
}

/**
 * The first e-mail to an address. It contains no personal name, because another person may have written it.
 */
function firstEmail(subject: string, sentences: string[]): Template {
  return accessEmail(subject, sentences, "Hello,");
}

/** An answer to an action of the recipient, so there is nothing to unsubscribe from. */
function accessEmail(subject: string, sentences: string[], greeting = GREETING): Template {
  const { text, html } = body(sentences, greeting);
  return { subject, text: `${text}\n`, html: `<!doctype html>\n<html><body>\n${html}\n</body></html>\n` };
}

function body(sentences: string[], greeting = GREETING): { text: string; html: string } {
  const end = "{{company_name}}";
  const text = [greeting, ...sentences, end].join("\n\n");
  const paragraphs = [greeting, ...sentences.map(linked), end];
  return { text, html: paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n") };
}

function linked(sentence: string): string {
  const links = /\{\{(ref_link|sign_in_url|portal_url|password_url|not_me_url|dashboard_url)\}\}/;
  return sentence.replace(links, '<a href="{{$1}}">{{$1}}</a>');
}
