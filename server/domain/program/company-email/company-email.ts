import { Failure } from "../../../failure.ts";
import type { Language } from "../../../languages/languages.ts";
import type { Reader, View } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { EmailKind } from "../../events/email.ts";

export const EMAIL_TRIGGERS = [
  "promoter_accepted",
  "promoter_rejected",
  "reward_created",
  "fulfilment_completed",
  "count_reached",
  "lead_signup",
  "inactivity",
  "broadcast",
  "recurring",
] as const;

/** What an e-mail of the company is sent for. A broadcast is sent when a user says so. */
export type EmailTrigger = (typeof EMAIL_TRIGGERS)[number];

export const DELAY_UNITS = ["second", "minute", "hour", "day"] as const;

export const COUNTED_METRICS = ["clicks", "referrals", "customers", "cancellations"] as const;

export const FREQUENCIES = ["weekly", "monthly"] as const;

/** The details of a trigger. Each trigger uses some of them, and the others are null. */
export interface TriggerSettings {
  delay_interval: (typeof DELAY_UNITS)[number] | null;
  delay_value: number | null;
  count: number | null;
  metric: (typeof COUNTED_METRICS)[number] | null;
  period_days: number | null;
  frequency: (typeof FREQUENCIES)[number] | null;
  /** Of the week, from 0 for Sunday to 7 for Sunday too, or of the month, from 1. */
  day: number | null;
  hour: number | null;
  minute: number | null;
}

export const NO_SETTINGS: TriggerSettings = {
  delay_interval: null,
  delay_value: null,
  count: null,
  metric: null,
  period_days: null,
  frequency: null,
  day: null,
  hour: null,
  minute: null,
};

const companyEmailFields = {
  id: integer(),
  /** What the team calls it. */
  name: text(),
  subject: text(),
  /** Text, or HTML that has been sanitised, with `{{name}}` as placeholders. */
  content: text(),
  /** The texts in other languages. Absent: none. */
  translations: json<EmailTranslation[]>().optional(),
  /** The campaigns whose promoters get it. Empty: all campaigns. */
  campaign_ids: json<number[]>(),
  is_enabled: flag(),
  trigger_on: text<EmailTrigger>(),
  settings: json<TriggerSettings>(),
  /** How often it was delivered. */
  sent_count: integer(),
  /** The last time that a recurring e-mail was due, or null. */
  ran_at: time().nullable(),
  created_at: time(),
  updated_at: time(),
};

/** An e-mail to promoters whose text the company has written. */
export type CompanyEmail = RowOf<typeof companyEmailFields>;

/** What an e-mail says in a language. Null: the same as in `CompanyEmail`. */
export interface EmailTranslation {
  language: Language;
  subject: string | null;
  content: string | null;
}

/** An e-mail's subject and content for readers of a language. */
export interface EmailTexts {
  subject: string;
  content: string;
  /** The language of the content, or null for the company's own text, whose language is unknown. */
  language: Language | null;
}

/** What an e-mail says to readers of a language: the text of that language, otherwise the main one. */
export function emailTexts(
  { subject, content, translations }: Pick<CompanyEmail, "subject" | "content" | "translations">,
  language: Language,
): EmailTexts {
  const translated = translations?.find((each) => each.language === language);
  return {
    subject: translated?.subject ?? subject,
    content: translated?.content ?? content,
    language: translated?.content == null ? null : language,
  };
}

export const companyEmails = table("company-email", companyEmailFields, {
  derived: {
    folded_name: ["text", ({ name }) => name.toLowerCase()],
    folded_subject: ["text", ({ subject }) => subject.toLowerCase()],
    /** ` 1 7 `, so that each id has a blank on both sides, or null for all campaigns. */
    campaign_list: ["text", ({ campaign_ids: ids }) => (ids.length === 0 ? null : ` ${ids.join(" ")} `)],
  },
  indexes: { trigger: { on: ["trigger_on"] } },
});

/** The frame of all e-mails that the company has written. Absent: the usual one. */
const emailLayoutFields = {
  /** Sanitised HTML in which `{{content}}` is replaced by an e-mail's content. */
  html: text(),
};

export const emailLayouts = table("email-layout", emailLayoutFields, {
  derived: {
    id: ["integer", () => 1],
  },
});

/** The trigger whose e-mail takes the place of a built-in one. */
const TRIGGER_OF: Record<EmailKind, EmailTrigger> = {
  signup_accepted: "promoter_accepted",
  accepted: "promoter_accepted",
  rejected: "promoter_rejected",
  new_referral: "lead_signup",
  new_commission: "reward_created",
  payout_sent: "fulfilment_completed",
};

/** The trigger of a built-in e-mail. */
export function triggerOf(kind: EmailKind): EmailTrigger {
  return TRIGGER_OF[kind];
}

/** The built-in e-mails of a trigger. Empty if only e-mails of the company have it. */
export function kindsOf(trigger: EmailTrigger): EmailKind[] {
  return (Object.keys(TRIGGER_OF) as EmailKind[]).filter((kind) => TRIGGER_OF[kind] === trigger);
}

const COMMON = [
  "first_name",
  "email",
  "company_name",
  "campaign_name",
  "ref_token",
  "ref_link",
  "portal_url",
  "unsubscribe_url",
];

/** The placeholders that each trigger knows. */
export const PLACEHOLDERS: Record<EmailTrigger, readonly string[]> = {
  promoter_accepted: [...COMMON, "offer"],
  promoter_rejected: COMMON,
  reward_created: [...COMMON, "amount"],
  fulfilment_completed: [...COMMON, "amount"],
  count_reached: [...COMMON, "count"],
  lead_signup: COMMON,
  inactivity: [...COMMON, "days"],
  broadcast: COMMON,
  recurring: COMMON,
};

const UNIT_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** How long after its trigger an e-mail is sent. */
export function delayMs({ settings }: CompanyEmail): number {
  const { delay_interval, delay_value } = settings;
  return delay_interval === null || delay_value === null ? 0 : delay_value * UNIT_MS[delay_interval];
}

/** Whether promoters of a campaign get an e-mail. */
export function isForCampaign({ campaign_ids }: CompanyEmail, campaignId: number): boolean {
  return campaign_ids.length === 0 || campaign_ids.includes(campaignId);
}

/** The e-mails of a trigger in a campaign. */
export interface TriggeredEmails {
  /**
   * The one that takes the place of the built-in e-mail, or null. One that names the campaign goes before one
   * for all campaigns, and a newer one before an older one.
   */
  instead: CompanyEmail | null;
  /** Those that are sent after a delay, each besides all others. */
  later: CompanyEmail[];
}

/** The e-mails that are switched on for a trigger in a campaign. @see docs/spec/events.md "Own e-mails" */
export async function findTriggered(
  view: View,
  accountId: number,
  { trigger, campaign_id }: { trigger: EmailTrigger; campaign_id: number },
): Promise<TriggeredEmails> {
  const all = await view.list(companyEmails, "trigger", accountId, [trigger]);
  const fitting = all.filter((each) => each.is_enabled && isForCampaign(each, campaign_id));
  const [instead = null] = fitting
    .filter((each) => delayMs(each) === 0)
    .toSorted((one, other) => rank(other) - rank(one) || other.id - one.id);
  return { instead, later: fitting.filter((each) => delayMs(each) > 0) };
}

function rank({ campaign_ids }: CompanyEmail): number {
  return campaign_ids.length === 0 ? 0 : 1;
}

/** The built-in e-mails whose events the company's own e-mails want. */
export async function wantedKinds(view: View, accountId: number): Promise<EmailKind[]> {
  const all = await view.list(companyEmails, "id", accountId, []);
  return all.filter(({ is_enabled }) => is_enabled).flatMap(({ trigger_on }) => kindsOf(trigger_on));
}

/** @throws Failure `not_found` */
export async function loadCompanyEmail(reader: Reader, accountId: number, id: number): Promise<CompanyEmail> {
  const email = await reader.get(companyEmails, accountId, id);
  if (email === null) throw new Failure("not_found", "E-mail not found.");
  return email;
}

/** The company's layout, or null for the usual one. */
export async function findLayout(reader: Reader, accountId: number): Promise<string | null> {
  return (await reader.get(emailLayouts, accountId, 1))?.html ?? null;
}
