import { z } from "zod";
import { listCampaigns } from "../../domain/program/campaign/campaign.ts";
import {
  COUNTED_METRICS,
  DELAY_UNITS,
  EMAIL_TRIGGERS,
  FREQUENCIES,
  companyEmails,
  type CompanyEmail,
  type TriggerSettings,
} from "../../domain/program/company-email/company-email.ts";
import { LANGUAGES } from "../../languages/languages.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { shown } from "../../resource/answer.ts";
import type { View } from "../../storage/store.ts";
import { embeddedCampaign, embeddedCampaignJson } from "../embedded-json.ts";

const translation = z
  .object({
    language: field(z.enum(LANGUAGES), "ISO 639 code of the language.", "de"),
    subject: field(
      z.string().nullable(),
      "The subject, with placeholders. Null: the same as in the e-mail.",
      "Ihr Link, {{first_name}}",
    ),
    content: field(
      z.string().nullable(),
      "The content, with placeholders: text, or HTML. Null: the same as in the e-mail.",
      "Guten Tag {{first_name}},\n\nIhr Link ist {{ref_link}}",
    ),
  })
  .meta({ id: "EmailTranslation" });

const settings = z.object({
  delay_interval: field(z.enum(DELAY_UNITS).nullable(), "Unit of the delay.", "day"),
  delay_value: field(
    z.int().nullable(),
    "How long after its trigger the e-mail is sent, at most 365 days. Null or 0 means immediately, in place of the built-in e-mail.",
    3,
  ),
  count: field(z.int().nullable(), "For `count_reached`: how many there must be.", 10),
  metric: field(
    z.enum(COUNTED_METRICS).nullable(),
    "For `count_reached`: what is counted. For `inactivity`: what a promoter lacks, or null for clicks, referrals and customers.",
    "customers",
  ),
  period_in_days: field(z.int().nullable(), "For `inactivity`: how many days nothing happened.", 30),
  frequency: field(z.enum(FREQUENCIES).nullable(), "For `recurring`: how often.", "weekly"),
  day: field(
    z.int().nullable(),
    "For `recurring`: day of the week, from 0 (Sunday) to 6, or of the month, from 1. A month without the day has its last one.",
    1,
  ),
  hour: field(z.int().nullable(), "For `recurring`: hour, in the account's time zone.", 9),
  minute: field(z.int().nullable(), "For `recurring`: minute.", 0),
});

const trigger = z.object({
  enabled: field(z.boolean(), "Whether the trigger sends it.", true),
  trigger_on: field(
    z.enum(EMAIL_TRIGGERS),
    "What it is sent for. `broadcast`: when `send_now` says so. `fulfilment_completed`: a payout was sent.",
  ),
  settings: field(settings, "Details of the trigger. Those that it does not use are null."),
});

/** All campaigns of the account, for each e-mail. */
async function campaignsOf(view: View, emails: CompanyEmail[]) {
  const all = await listCampaigns(view, emails[0]?.account_id ?? 0);
  const campaigns = new Map(all.map((campaign) => [campaign.id, campaign]));
  return emails.map(() => ({ campaigns }));
}

export const emailAnswer = shown(companyEmails, campaignsOf)("Email", {
  id: recordId,
  name: field(z.string(), "What the team calls it.", "Welcome, day 3"),
  subject: field(z.string(), "The subject, with placeholders.", "Your link, {{first_name}}"),
  content: field(
    z.string(),
    "The content, with placeholders: text, or HTML. What could run in HTML is removed.",
    "Hello {{first_name}},\n\nyour link is {{ref_link}}",
  ),
  translations: [
    field(
      z.array(translation),
      "The texts in other languages. Promoters who read one of them get it, and all others the main text. An extension of Tidemark.",
    ),
    ({ translations }) => translations ?? [],
  ],
  allowed_campaign_ids: [
    field(z.array(z.int()), "Ids of the campaigns whose promoters get it. Empty means all campaigns.", [1]),
    ({ campaign_ids }) => campaign_ids,
  ],
  trigger: [
    field(trigger, "What it is sent for."),
    ({ is_enabled, trigger_on, settings: set }) => ({
      enabled: is_enabled,
      trigger_on,
      settings: settingsJson(set),
    }),
  ],
  sent_count: field(z.int(), "How often it was delivered.", 12),
  allowed_campaigns: [
    field(z.array(embeddedCampaign), "The campaigns of `allowed_campaign_ids`."),
    ({ campaign_ids }, { campaigns }) =>
      campaign_ids.flatMap((id) => campaigns.get(id) ?? []).map(embeddedCampaignJson),
  ],
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});

function settingsJson({ period_days: period_in_days, ...others }: TriggerSettings) {
  return { ...others, period_in_days };
}
