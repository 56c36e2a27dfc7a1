import type { EmailKind } from "../../domain/email/record.ts";
import type { Template } from "./template.ts";

/** Our own text for each e-mail. Operators may put their own in a folder. */
export const EMAIL_TEXTS: Record<EmailKind, Template> = {
  signup_accepted: email("Welcome to {{campaign_name}}", [
    "you are now a promoter of {{company_name}}. This is your link. It tells us which visitors you sent:",
    "{{ref_link}}",
  ]),
  accepted: email("You have been accepted to {{campaign_name}}", [
    "{{company_name}} has accepted you. This is your link. It tells us which visitors you sent:",
    "{{ref_link}}",
  ]),
  rejected: email("Your application to {{campaign_name}}", [
    "thank you for your interest. {{company_name}} can't accept you into {{campaign_name}} at this time.",
  ]),
  new_referral: email("You have a new referral", [
    "somebody signed up at {{company_name}} through your link {{ref_link}}.",
  ]),
  payout_sent: email("Your payout was sent", [
    "{{company_name}} has sent you a payout of {{amount}} ({{unit}}) for {{campaign_name}}.",
  ]),
};

function email(subject: string, sentences: string[]): Template {
  const end = "{{company_name}}";
  const text = ["Hello {{first_name}},", ...sentences, end].join("\n\n");
  const paragraphs = ["Hello {{first_name}},", ...sentences.map(linked), end];
  const html = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n");
  const leave = "Unsubscribe from these e-mails:";
  return {
    subject,
    text: `${text}\n\n--\n${leave} {{unsubscribe_url}}\n`,
    html: `<!doctype html>\n<html><body>\n${html}\n<p><small><a href="{{unsubscribe_url}}">${leave}</a></small></p>\n</body></html>\n`,
  };
}

function linked(sentence: string): string {
  return sentence.replace("{{ref_link}}", '<a href="{{ref_link}}">{{ref_link}}</a>');
}
