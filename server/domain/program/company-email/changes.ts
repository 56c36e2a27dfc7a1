import { Failure, type FieldErrors } from "../../../failure.ts";
import type { Transaction } from "../../../storage/store.ts";
import type { Context } from "../../context.ts";
import { updateWantedEvents } from "../../events/webhook/webhook.ts";
import { campaigns, emailsOf } from "../campaign/campaign.ts";
import {
  companyEmails,
  emailLayouts,
  kindsOf,
  loadCompanyEmail,
  NO_SETTINGS,
  PLACEHOLDERS,
  type CompanyEmail,
  type TriggerSettings,
} from "./company-email.ts";

/** Each event looks through the e-mails of its trigger. */
const MOST_EMAILS = 200;
const MOST_DELAY_DAYS = 365;

/** The fields of an e-mail that a client sets. */
export type CompanyEmailInput = Pick<
  CompanyEmail,
  "name" | "subject" | "content" | "translations" | "campaign_ids" | "is_enabled" | "trigger_on" | "settings"
>;

/**
 * Makes an e-mail.
 *
 * @throws Failure `invalid` for an unknown placeholder or campaign, or a trigger that lacks a setting;
 * `refused` if there are too many
 */
export async function createCompanyEmail(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  input: CompanyEmailInput,
): Promise<CompanyEmail> {
  const id = await tx.nextId("company-email");
  return insertEmail(tx, newEmail({ account_id: accountId, id, input, now }));
}

/** Changes an e-mail. @throws Failure `not_found`, and `invalid` like `createCompanyEmail` */
export async function updateCompanyEmail(
  tx: Transaction,
  { now }: Context,
  accountId: number,
  { id, input }: { id: number; input: CompanyEmailInput },
): Promise<CompanyEmail> {
  const before = await loadCompanyEmail(tx, accountId, id);
  const changed = { ...before, ...input, settings: fittingSettings(input), updated_at: now.toISOString() };
  await putEmail(tx, changed);
  return changed;
}

/** Copies an e-mail. The copy is switched off. @throws Failure `not_found`, `refused` */
export async function copyCompanyEmail(
  tx: Transaction,
  context: Context,
  accountId: number,
  id: number,
): Promise<CompanyEmail> {
  const { name, ...input } = await loadCompanyEmail(tx, accountId, id);
  const copy = { ...input, name: `${name} (copy)`.slice(0, 255), is_enabled: false };
  return createCompanyEmail(tx, context, accountId, copy);
}

/** Deletes an e-mail. What waits to be sent later is not sent. @throws Failure `not_found` */
export async function deleteCompanyEmail(
  tx: Transaction,
  accountId: number,
  id: number,
): Promise<CompanyEmail> {
  const email = await loadCompanyEmail(tx, accountId, id);
  await tx.remove(companyEmails, accountId, id);
  await updateWantedEvents(tx, accountId, emailsOf);
  return email;
}

/** Sets the layout of the company's e-mails. Null: back to the usual one. @throws Failure `invalid` */
export async function setLayout(tx: Transaction, accountId: number, html: string | null): Promise<void> {
  if (html === null) return tx.remove(emailLayouts, accountId, 1);
  refuseFaultyLayout(html);
  await tx.put(emailLayouts, { account_id: accountId, html });
}

/** Refuses a layout without a place for the content, or with a placeholder that there is not. @throws Failure `invalid` */
export function refuseFaultyLayout(html: string): void {
  const places = html.match(/\{\{\s*content\s*\}\}/g) ?? [];
  if (places.length === 0) {
    throw invalid({ html: ["needs {{content}} where the text of each e-mail goes"] });
  }
  // A thousand of them would make each e-mail as large as a thousand.
  if (places.length > 1) throw invalid({ html: ["may have {{content}} only once"] });
  const fault = unknownIn(html, [...PLACEHOLDERS.broadcast, "content"]);
  if (fault !== null) throw invalid({ html: [fault] });
}

function newEmail({
  account_id,
  id,
  input,
  now,
}: {
  account_id: number;
  id: number;
  input: CompanyEmailInput;
  now: Date;
}): CompanyEmail {
  const { name, subject, content, translations, campaign_ids, is_enabled, trigger_on } = input;
  return {
    account_id,
    id,
    name,
    subject,
    content,
    ...(translations && { translations }),
    campaign_ids,
    is_enabled,
    trigger_on,
    settings: fittingSettings(input),
    sent_count: 0,
    ran_at: null,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

async function insertEmail(tx: Transaction, email: CompanyEmail): Promise<CompanyEmail> {
  if ((await tx.view.count(companyEmails, "id", email.account_id, [])) >= MOST_EMAILS)
    throw new Failure("refused", `There are ${MOST_EMAILS} e-mails; delete one first`);
  await putEmail(tx, email);
  return email;
}

async function putEmail(tx: Transaction, email: CompanyEmail): Promise<void> {
  await refuseUnfit(tx, email);
  await tx.put(companyEmails, email);
  await updateWantedEvents(tx, email.account_id, emailsOf);
}

/** The settings that the trigger uses. The others are dropped. */
function fittingSettings({ trigger_on, settings }: CompanyEmailInput): TriggerSettings {
  const { delay_interval, delay_value, count, metric, period_days, frequency, day, hour, minute } = settings;
  if (kindsOf(trigger_on).length > 0) return { ...NO_SETTINGS, delay_interval, delay_value };
  if (trigger_on === "count_reached") return { ...NO_SETTINGS, count, metric };
  if (trigger_on === "inactivity") return { ...NO_SETTINGS, period_days, metric };
  return trigger_on === "recurring" ? { ...NO_SETTINGS, frequency, day, hour, minute } : NO_SETTINGS;
}

async function refuseUnfit(tx: Transaction, email: CompanyEmail): Promise<void> {
  const fields: FieldErrors = { ...placeholderFaults(email), ...settingFaults(email) };
  for (const id of email.campaign_ids) {
    if ((await tx.get(campaigns, email.account_id, id)) !== null) continue;
    fields["campaign_ids"] = [`names an unknown campaign (${id})`];
  }
  if (Object.keys(fields).length > 0) throw invalid(fields);
}

type Placed = Pick<CompanyEmail, "subject" | "content" | "translations" | "trigger_on">;

/** @throws Failure `invalid` */
export function refuseUnknownPlaceholders(email: Placed): void {
  const fields = placeholderFaults(email);
  if (Object.keys(fields).length > 0) throw invalid(fields);
}

function placeholderFaults(email: Placed): FieldErrors {
  const fields: FieldErrors = {};
  for (const name of ["subject", "content"] as const) {
    const fault = unknownIn(email[name], PLACEHOLDERS[email.trigger_on]);
    if (fault !== null) fields[name] = [fault];
    for (const { language, [name]: text } of email.translations ?? []) {
      const translated = unknownIn(text ?? "", PLACEHOLDERS[email.trigger_on]);
      if (translated !== null) (fields["translations"] ??= []).push(`(${language}, ${name}) ${translated}`);
    }
  }
  return fields;
}

function settingFaults({ trigger_on, settings }: CompanyEmail): FieldErrors {
  const missing = (...names: (keyof TriggerSettings)[]): FieldErrors =>
    Object.fromEntries(
      names.filter((name) => settings[name] === null).map((name) => [name, ["can't be blank"]]),
    );
  const { delay_interval, delay_value, frequency, day } = settings;
  if (trigger_on === "count_reached") return missing("count", "metric");
  if (trigger_on === "inactivity") return missing("period_days");
  if (trigger_on === "recurring") {
    const faults = missing("frequency", "day", "hour", "minute");
    if (frequency === "weekly" && day !== null && day > 7) faults["day"] = ["must be from 0 to 7"];
    if (frequency === "monthly" && day === 0) faults["day"] = ["must be from 1 to 31"];
    return faults;
  }
  if (delay_interval === null && delay_value) return missing("delay_interval");
  if (delay_interval === "day" && (delay_value ?? 0) > MOST_DELAY_DAYS)
    return { delay_value: [`must be at most ${MOST_DELAY_DAYS} days`] };
  return {};
}

/** A sentence about the first placeholder that is not known, or null. */
function unknownIn(text: string, known: readonly string[]): string | null {
  for (const [, name = ""] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    if (known.includes(name.trim())) continue;
    const others = known.map((each) => `{{${each}}}`).join(", ");
    return `does not know {{${name.trim()}}}. Use ${others}`;
  }
  return null;
}

function invalid(fields: FieldErrors): Failure {
  return new Failure("invalid", "The record breaks a rule", fields);
}
