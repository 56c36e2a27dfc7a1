import { accounts } from "../domain/program/account/account.ts";
import { SYSTEM } from "../domain/context.ts";
import { campaigns, type Campaign } from "../domain/program/campaign/campaign.ts";
import type { Commission } from "../domain/ledger/commission/commission.ts";
import type { Email, EmailKind } from "../domain/events/email.ts";
import { isErased } from "../domain/people/erased.ts";
import { isConfirmation } from "../domain/events/event-type.ts";
import type { RecordChange } from "../domain/ledger/announcement.ts";
import type { Lead } from "../domain/people/lead/lead.ts";
import { formatAmount } from "../domain/money.ts";
import type { Payout } from "../domain/ledger/payout/payout.ts";
import { addresseeValues, type Addressee, type PlannedEmail } from "../domain/people/mailing/mailing.ts";
import {
  promoterCampaigns,
  type PromoterCampaign,
} from "../domain/people/promoter-campaign/promoter-campaign.ts";
import {
  mailLanguage,
  promoters,
  type EmailTopic,
  type Promoter,
} from "../domain/people/promoter/promoter.ts";
import { delayMs, findTriggered, triggerOf } from "../domain/program/company-email/company-email.ts";
import { loadTerms } from "../domain/ledger/terms.ts";
import type { Delivery } from "../domain/events/webhook/delivery.ts";
import type { View } from "../storage/store.ts";
import type { OutboxParts } from "./parts.ts";

/** The names of these e-mails in promoters' settings. */
const TOPICS: Partial<Record<EmailKind, EmailTopic>> = {
  new_commission: "new_commission",
  new_referral: "new_referral",
  payout_sent: "payout",
};

/** An e-mail that a change calls for, before the campaign's settings are checked. */
interface Occasion {
  /** Null for a decision on the promoter; its kind depends on the outcome. */
  kind: EmailKind | null;
  promoter_campaign_id: number;
  /** Whether the request that caused the change asked for no e-mail. */
  isSilenced: (promoter: Promoter) => boolean;
  values: Record<string, string>;
  /** The sum earned or paid. The e-mail shows it in the account's currency. */
  sum?: Pick<Commission, "amount" | "unit">;
}

/** The log's fields for an e-mail. They leave out the recipient's address and the text. */
export function emailInLog({ owner_id, id, email, response_code }: Delivery): Record<string, unknown> {
  const { kind, promoter_id } = email ?? {};
  return { account: owner_id, delivery: id, email: kind, promoter: promoter_id, status: response_code };
}

/** The e-mails that a change calls for. */
export interface CalledEmails {
  /** Null if there is none, or the campaign or the promoter does not want it. */
  now: Email | null;
  /** The company's own e-mails that follow after a delay. */
  later: PlannedEmail[];
  /** The promoter campaign that they tell a new lead of. Null: they are about something else. */
  newLeadOf: number | null;
}

/** The e-mails that a change at an instant calls for. */
export async function emailsFor(
  { store, public_url }: OutboxParts,
  change: RecordChange,
  changedAt: string,
): Promise<CalledEmails> {
  const none: CalledEmails = { now: null, later: [], newLeadOf: null };
  const occasion = occasionOf(change);
  const accountId = (change.after ?? change.before)?.account_id;
  if (occasion === null || accountId === undefined) return none;
  const promoterCampaign = await store.get(promoterCampaigns, accountId, occasion.promoter_campaign_id);
  if (promoterCampaign === null) return none;
  const campaign = await store.get(campaigns, accountId, promoterCampaign.campaign_id);
  const promoter = await store.get(promoters, accountId, promoterCampaign.promoter_id);
  const account = await store.get(accounts, SYSTEM, accountId);
  if (campaign === null || promoter === null || account === null) return none;
  // The owner of the address is unknown.
  if (promoter.is_unconfirmed) return none;
  const wanted = occasion.kind ?? decided(promoterCampaign, campaign);
  if (wanted === null || occasion.isSilenced(promoter)) return none;
  const kind = kindFor(wanted, promoter, promoterCampaign);
  const trigger = triggerOf(kind);
  const { instead, later } = await findTriggered(store, accountId, { trigger, campaign_id: campaign.id });
  const { sum } = occasion;
  const amount = sum && formatAmount(sum.amount, sum.unit, account.currency, mailLanguage(account, promoter));
  const values = { ...occasion.values, ...(amount !== undefined && { amount }) };
  const parts = { account, campaign, promoter, promoterCampaign, public_url, values };
  const planned: PlannedEmail[] = [];
  for (const email of later) {
    const dueAt = new Date(Date.parse(changedAt) + delayMs(email)).toISOString();
    planned.push({
      account_id: accountId,
      id: await store.nextId("planned-email"),
      company_email_id: email.id,
      promoter_id: promoter.id,
      promoter_campaign_id: promoterCampaign.id,
      values: { ...values, ...(trigger === "promoter_accepted" && { offer: await offerOf(store, parts) }) },
      due_at: dueAt,
    });
  }
  const topic = TOPICS[kind];
  const isWanted =
    campaign.emails.includes(kind) && (topic === undefined || !promoter.unwanted_emails?.includes(topic));
  // The invitation has already said so.
  const isSaid = kind === "signup_accepted" && promoter.is_invited;
  const email = isWanted && !isSaid ? await newEmail(store, kind, parts) : null;
  const text = instead && { company_email_id: instead.id };
  const newLeadOf = kind === "new_referral" ? promoterCampaign.id : null;
  return { now: email && { ...email, ...text }, later: planned, newLeadOf };
}

/** The values that an e-mail to a promoter is made from. */
interface EmailParts extends Addressee {
  /** Further values for this kind of e-mail only. */
  values?: Record<string, string>;
}

/** An e-mail to a promoter about one of their campaigns. */
async function newEmail(view: View, kind: EmailKind, parts: EmailParts): Promise<Email> {
  const { promoter, values } = parts;
  return {
    kind,
    promoter_id: promoter.id,
    to: promoter.email,
    values: {
      ...addresseeValues(parts),
      ...(WELCOMES.has(kind) && { offer: await offerOf(view, parts) }),
      ...values,
    },
  };
}

/** The e-mails that say what promoters earn. */
const WELCOMES: ReadonlySet<EmailKind> = new Set(["signup_accepted", "accepted"]);

async function offerOf(
  view: View,
  { account, campaign, promoter, promoterCampaign: joined }: EmailParts,
): Promise<string> {
  const language = mailLanguage(account, promoter);
  return (await loadTerms(view, { account, campaign, promoter, joined, language })).join(" ");
}

function occasionOf(change: RecordChange): Occasion | null {
  const { entity, before, after } = change;
  if (entity === "promoter") return after !== null && isConfirmation(change) ? decisionHeldBack(after) : null;
  if (entity === "promoter_campaign") return after && decision(before, after);
  if (entity === "referral") return before === null && after !== null ? newReferral(after) : null;
  if (entity === "commission") return before === null && after !== null ? newCommission(after) : null;
  if (entity !== "payout" || after?.status !== "completed" || before?.status === "completed") return null;
  return payoutSent(after);
}

/**
 * A promoter who returns from `blocked` or `inactive` was accepted before and gets no e-mail.
 *
 * @see docs/spec/events.md "E-mails"
 */
function decision(before: PromoterCampaign | null, after: PromoterCampaign): Occasion | null {
  const isUndecided = before === null || before.state === "pending" || before.state === "rejected";
  const isNew = before?.state !== after.state;
  const kind = before === null ? "signup_accepted" : "accepted";
  const common = {
    promoter_campaign_id: after.id,
    isSilenced: ({ skip_email_notification }: Promoter) => skip_email_notification,
    values: {},
  };
  if (after.state === "accepted" && isUndecided && isNew) return { ...common, kind };
  return after.state === "rejected" && isNew ? { ...common, kind: "rejected" } : null;
}

/**
 * After confirming their address, an applicant gets the e-mail that was held back: the decision on the
 * application.
 */
function decisionHeldBack(promoter: Promoter): Occasion | null {
  const { default_promoter_campaign_id: promoterCampaignId } = promoter;
  if (promoterCampaignId === null || isErased(promoter)) return null;
  const isSilenced = ({ skip_email_notification }: Promoter) => skip_email_notification;
  return { kind: null, promoter_campaign_id: promoterCampaignId, isSilenced, values: {} };
}

/** The e-mail about a decision, or null if none was made. */
function decided({ state }: PromoterCampaign, { auto_approve_promoters }: Campaign): EmailKind | null {
  if (state === "accepted") return auto_approve_promoters ? "signup_accepted" : "accepted";
  return state === "rejected" ? "rejected" : null;
}

function newReferral({ promoter_campaign_id, skip_email_notification }: Lead): Occasion {
  return {
    kind: "new_referral",
    promoter_campaign_id,
    isSilenced: () => skip_email_notification,
    values: {},
  };
}

/** @see docs/spec/events.md "E-mails" */
function newCommission(commission: Commission): Occasion | null {
  const { promoter_campaign_id, amount, unit, status, is_silent = false } = commission;
  if (status !== "approved" || amount <= 0) return null;
  const sum = { amount, unit };
  return { kind: "new_commission", promoter_campaign_id, isSilenced: () => is_silent, values: {}, sum };
}

function payoutSent({ promoter_campaign_id, unit, total_incl_tax }: Payout): Occasion {
  const sum = { amount: total_incl_tax, unit };
  return { kind: "payout_sent", promoter_campaign_id, isSilenced: () => false, values: { unit }, sum };
}

/** Only a promoter's first campaign is their sign-up. Each further one is an acceptance. */
function kindFor(kind: EmailKind, promoter: Promoter, { id }: PromoterCampaign): EmailKind {
  return kind === "signup_accepted" && promoter.default_promoter_campaign_id !== id ? "accepted" : kind;
}
