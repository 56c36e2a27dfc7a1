import type { EmailKind } from "../records.ts";
import type { Template } from "./template.ts";

/** Our own words for each letter; operators may put theirs in a folder. */
export const EMAIL_TEXTS: Record<EmailKind, Template> = {
  signup_accepted: letter("Welcome to {{campaign_name}}", [
    "you are a promoter of {{company_name}} now. This is your link, which tells us who sent a visitor:",
    "{{ref_link}}",
  ]),
  accepted: letter("You were accepted to {{campaign_name}}", [
    "{{company_name}} has accepted you. This is your link, which tells us who sent a visitor:",
    "{{ref_link}}",
  ]),
  rejected: letter("Your application to {{campaign_name}}", [
    "thank you for your interest. {{company_name}} can't take you into {{campaign_name}} at this time.",
  ]),
  new_referral: letter("You have a new referral", [
    "somebody signed up at {{company_name}} by your link {{ref_link}}.",
  ]),
  payout_sent: letter("Your payout was sent", [
    "{{company_name}} has sent you a payout of {{amount}} ({{unit}}) for {{campaign_name}}.",
  ]),
};

function letter(subject: string, sentences: string[]): Template {
  const end = "{{company_name}}";
  const text = ["Hello {{first_name}},", ...sentences, end].join("\n\n");
  const paragraphs = ["Hello {{first_name}},", ...sentences.map(linked), end];
  const html = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join("\n");
  const leave = "No more of these e-mails:";
  return {
    subject,
    text: `${text}\n\n--\n${leave} {{unsubscribe_url}}\n`,
    html: `<!doctype html>\n<html><body>\n${html}\n<p><small><a href="{{unsubscribe_url}}">${leave}</a></small></p>\n</body></html>\n`,
  };
}

function linked(sentence: string): string {
  return sentence.replace("{{ref_link}}", '<a href="{{ref_link}}">{{ref_link}}</a>');
}
