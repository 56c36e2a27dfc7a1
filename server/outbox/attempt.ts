import { accounts } from "../domain/program/account/account.ts";
import { emailBrand, promoterSender, type ShownBrand } from "../domain/program/account/brand.ts";
import { SYSTEM } from "../domain/context.ts";
import {
  isAccessEmail,
  isMoneyEmail,
  isOwnerEmail,
  isUnsubscribed,
  type AccessEmailKind,
  type Email,
  type OwnEmail,
} from "../domain/events/email.ts";
import { isErased } from "../domain/people/erased.ts";
import { type EventMessage, FULFILMENT } from "../domain/events/event-type.ts";
import { notMeUrl } from "../domain/ledger/payout-method/changes.ts";
import { signInUrl, type LinkKind } from "../domain/people/portal/sign-in.ts";
import { mailLanguage, promoterName, promoters } from "../domain/people/promoter/promoter.ts";
import { linkAddress, putUserLink } from "../domain/access/user/sign-in.ts";
import { canOwn, findUser } from "../domain/access/user/user.ts";
import { type Delivery, deliveries, finish } from "../domain/events/webhook/delivery.ts";
import { validSecrets, webhooks } from "../domain/events/webhook/webhook.ts";
import { companyEmails, emailTexts, findLayout } from "../domain/program/company-email/company-email.ts";
import type { Language } from "../languages/languages.ts";
import { lookIn, writeCompanyEmail, type WrittenEmail } from "../outgoing/email-text.ts";
import type { WantedSender } from "../outgoing/mail.ts";
import { webhookPosting } from "../outgoing/post.ts";
import { postedJson } from "../v2/webhook/event-data.ts";
import { writeEmail, type Templates } from "./email-template.ts";
import type { OutboxParts } from "./parts.ts";
import { announceMoney } from "../domain/ledger/announcement.ts";
import { payouts, type Payout } from "../domain/ledger/payout/payout.ts";
import { moveWithin } from "../domain/ledger/payout/status.ts";
import type { Store, Transaction } from "../storage/store.ts";
import { isSameJson } from "../storage/digests.ts";
import { retryDelayMs } from "./clock-watch.ts";
import { emailInLog } from "./email.ts";

/** Failed attempts after which an e-mail is dropped. Webhooks usually have the same limit. */
const MAX_EMAIL_ATTEMPTS = 10;

/** A requested link is sent within this time or not at all. */
const LATE_SIGN_IN_MS = 60 * 60 * 1_000;

const LINK_OF: Record<AccessEmailKind, LinkKind> = {
  sign_in_link: "sign_in",
  join_accepted: "join",
  join_waiting: "join",
  address_known: "sign_in",
  promoter_invitation: "setup",
};

/** The error of every delivery whose webhook was deleted. */
export const WEBHOOK_GONE = "The webhook was deleted";

/** How one attempt to send a delivery ended. */
interface Attempt {
  /** The receiver's status, or the code of the mail server's refusal. Null: no answer. */
  status: number | null;
  body: string | null;
  /** Null after a success. */
  error: string | null;
  /** Whether a further attempt is certain to fail. */
  isFinal: boolean;
  maxAttempts: number;
}

/**
 * Whether a delivery can be sent now, later, or never.
 *
 * @see docs/spec/events.md "Delivery"
 */
export async function reachOf(
  parts: OutboxParts,
  { owner_id, webhook_id }: Delivery,
): Promise<"now" | "later" | "never"> {
  if (webhook_id === null) return parts.mailer === null || parts.templates() === null ? "later" : "now";
  const webhook = await parts.store.get(webhooks, owner_id, webhook_id);
  if (webhook === null) return "never";
  return webhook.is_active ? "now" : "later";
}

/** Sends a delivery once. Resolves to null if it can't be sent now. */
export function attemptOf(parts: OutboxParts, delivery: Delivery): Promise<Attempt | null> {
  const { message, email } = delivery;
  if (message !== null) return postEvent(parts, delivery, message);
  return email === null ? Promise.resolve(undeliverable("empty")) : sendEmail(parts, delivery, email);
}

async function postEvent(
  parts: OutboxParts,
  { owner_id, webhook_id }: Delivery,
  message: EventMessage,
): Promise<Attempt | null> {
  const webhook = await parts.store.get(webhooks, owner_id, webhook_id ?? 0);
  if (webhook === null) return undeliverable(WEBHOOK_GONE);
  if (!webhook.is_active) return null;
  const now = parts.clock();
  const target = { ...webhook, secrets: validSecrets(webhook, now) };
  const { event_id, type } = message;
  const body = JSON.stringify(postedJson(message));
  const receipt = await parts.post(webhookPosting(target, { event_id, type, body, now }));
  return {
    status: receipt.status,
    body: receipt.body,
    error: receipt.error,
    isFinal: false,
    maxAttempts: Math.max(1, webhook.max_retries),
  };
}

async function sendEmail(
  parts: OutboxParts,
  delivery: Delivery,
  email: Email | OwnEmail,
): Promise<Attempt | null> {
  const { id, owner_id, created_at } = delivery;
  const { store, mailer, public_url } = parts;
  const templates = parts.templates();
  if (mailer === null || templates === null) return null;
  if (email.promoter_id === null) return sendToUser(parts, delivery, { email, templates });
  const { kind } = email;
  const isAlwaysSent = isAccessEmail(kind) || isMoneyEmail(kind);
  if (!isAlwaysSent && (await isUnsubscribed(store, owner_id, email.promoter_id))) {
    return undeliverable("The promoter has unsubscribed");
  }
  // If the promoter has changed their address since, the e-mail goes to the new one.
  const promoter = await store.get(promoters, owner_id, email.promoter_id);
  const isGone = promoter === null || isErased(promoter);
  if (isGone) return undeliverable("The promoter was deleted");
  const address = promoter.email;
  const account = await store.get(accounts, SYSTEM, owner_id);
  const now = parts.clock();
  const isLate = kind === "sign_in_link" && now.getTime() - Date.parse(created_at) > LATE_SIGN_IN_MS;
  if (account === null || isLate) return undeliverable("The link is no longer needed");
  const link = isAccessEmail(kind) && {
    sign_in_url: signInUrl({ public_url, now }, { account, promoter }, LINK_OF[kind]),
  };
  const { changed_at = "" } = email.values;
  const money = isMoneyEmail(kind) && {
    portal_url: `${public_url}/portal`,
    not_me_url: notMeUrl(public_url, account, { promoter_id: promoter.id, changed_at }),
  };
  const values = { ...email.values, email: address, ...link, ...money };
  const written = await writtenEmail(
    { store, templates },
    { account_id: owner_id, language: mailLanguage(account, promoter) },
    { ...email, values, brand: emailBrand(account, public_url) },
  );
  if (written === null) return undeliverable("The e-mail was deleted");
  const { status, error, isFinal } = await mailer.send({
    ...written,
    to: address,
    sender: promoterSender(account),
    unsubscribeUrl: email.values["unsubscribe_url"] ?? null,
    // The same for every attempt, so that a mail server can drop a duplicate.
    messageId: `${id}.${Date.parse(created_at)}`,
  });
  return { status, body: null, error, isFinal, maxAttempts: MAX_EMAIL_ATTEMPTS };
}

/** An e-mail with the company's own text, otherwise from its template. Null if it was the company's and is deleted. */
async function writtenEmail(
  { store, templates }: { store: Store; templates: Templates },
  { account_id, language }: { account_id: number; language: Language },
  { brand, ...email }: (Email | OwnEmail) & { brand: ShownBrand | null },
): Promise<WrittenEmail | null> {
  const { company_email_id } = email;
  const own =
    company_email_id === undefined ? null : await store.get(companyEmails, account_id, company_email_id);
  if (own !== null) {
    const layout = await findLayout(store, account_id);
    const look = brand && lookIn(brand, language);
    return writeCompanyEmail({ ...emailTexts(own, language), layout, reader: language, look }, email.values);
  }
  return email.kind === "own" ? null : writeEmail(templates, { ...email, language, brand });
}

async function sendToUser(
  parts: OutboxParts,
  delivery: Delivery,
  { email, templates }: { email: Email | OwnEmail; templates: Templates },
): Promise<Attempt | null> {
  const { mailer } = parts;
  const opened = await openUserEmail(parts, delivery);
  if (opened === null || mailer === null || email.kind === "own")
    return undeliverable("The link is no longer needed");
  const { to, sender, values } = opened;
  const written = writeEmail(templates, { ...email, values });
  const messageId = `${delivery.id}.${Date.parse(delivery.created_at)}`;
  const { status, error, isFinal } = await mailer.send({
    ...written,
    to,
    sender,
    unsubscribeUrl: null,
    messageId,
  });
  return { status, body: null, error, isFinal, maxAttempts: MAX_EMAIL_ATTEMPTS };
}

function undeliverable(error: string): Attempt {
  return { status: null, body: null, error, isFinal: true, maxAttempts: 1 };
}

/** After this time a user no longer waits for a requested link. */
const LATE_USER_LINK_MS = 24 * 60 * 60 * 1_000;

/** The recipient of an e-mail to a user, and the values that are known only when it is sent. */
interface UserEmail {
  to: string;
  sender: WantedSender;
  values: Record<string, string>;
}

/** Makes the link in an e-mail to a user. Null if it is no longer needed. */
async function openUserEmail(
  { store, clock, chance, public_url }: OutboxParts,
  { owner_id, created_at, email }: Delivery,
): Promise<UserEmail | null> {
  const now = clock();
  const userId = email?.user_id ?? 0;
  const { kind: emailKind } = email ?? {};
  const isLink = !isOwnerEmail(emailKind);
  if (isLink && now.getTime() - Date.parse(created_at) > LATE_USER_LINK_MS) return null;
  return store.transact(async (tx) => {
    const user = await findUser(tx, userId);
    const account = await tx.get(accounts, SYSTEM, owner_id);
    if (user === null || account === null) return null;
    const sender = { address: account.mail_sender, name: null, reply_to: null };
    if (!isLink) {
      if (!canOwn(user)) return null;
      const promoter = await tx.get(promoters, owner_id, Number(email?.values["promoter_id"] ?? 0));
      const named = promoter && { promoter: promoterName(promoter), promoter_email: promoter.email };
      const dashboard_url = `${public_url}/admin/payouts`;
      const values = { ...email?.values, ...named, email: user.email, dashboard_url };
      return { to: user.email, sender, values };
    }
    const kind = user.password_hash === null ? "invitation" : "reset";
    const token = await putUserLink(
      tx,
      { chance, now },
      { kind, owner_id, user_id: userId, keepsOthers: true },
    );
    return {
      to: user.email,
      sender,
      values: { ...email?.values, email: user.email, password_url: linkAddress(public_url, token) },
    };
  });
}

/** Most results in one commit. */
const MOST_AT_ONCE = 100;

/** Records the result of an attempt, and when the next attempt is due. */
export type Recorder = (sent: Delivery, attempt: Attempt) => Promise<void>;

interface Result {
  sent: Delivery;
  attempt: Attempt;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Makes a recorder. Each of its commits writes all results that arrived during the previous one. */
export function newRecorder(parts: OutboxParts): Recorder {
  const waiting: Result[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      // If the batch fails, each result is written alone, so that one bad result does not block the others.
      if (!(await isWritten(batch)))
        for (const each of batch) await write([each]).then(each.done, each.failed);
    }
    isWriting = false;
  }

  async function isWritten(batch: Result[]): Promise<boolean> {
    try {
      await write(batch);
    } catch {
      return false; // the error shows when each result is written alone
    }
    for (const { done } of batch) done();
    return true;
  }

  async function write(batch: Result[]): Promise<void> {
    const { store, lease, log } = parts;
    const givenUp = await store.transact(async (tx) => {
      await lease.guard(tx);
      const emails: Delivery[] = [];
      for (const { sent, attempt } of batch) {
        const after = await record(tx, parts, { sent, attempt });
        if (after?.email && !isAsWanted(attempt)) emails.push(after);
      }
      return emails;
    });
    for (const email of givenUp) log.warn(emailInLog(email), "an e-mail was given up");
  }

  return (sent, attempt) =>
    new Promise((done, failed) => {
      waiting.push({ sent, attempt, done, failed });
      if (!isWriting) void writeAll();
    });
}

/** Whether an e-mail ended because the promoter unsubscribed or was deleted. */
function isAsWanted({ isFinal, status }: Attempt): boolean {
  return isFinal && status === null;
}

/** Returns the delivery if it failed for good. Null if it was delivered, or will be retried. */
async function record(
  tx: Transaction,
  parts: OutboxParts,
  { sent, attempt }: Pick<Result, "sent" | "attempt">,
): Promise<Delivery | null> {
  const now = parts.clock();
  const before = await tx.get(deliveries, SYSTEM, sent.id);
  if (before === null || before.finished_at !== null) return null;
  // A user may have restarted the delivery during this attempt. The failure then does not count as an attempt
  // of the new start.
  const isAnew = before.due_at !== sent.due_at || before.attempts !== sent.attempts;
  const attempts = before.attempts + (isAnew && attempt.error !== null ? 0 : 1);
  const after: Delivery = {
    ...before,
    attempts,
    response_code: attempt.status,
    // Receivers may echo the event. If a name was erased from it meanwhile, the answer must not bring the
    // name back.
    response_body: isSameJson(before.message, sent.message) ? attempt.body : null,
    last_error: attempt.error,
  };
  if (attempt.error === null) {
    await completeFulfilled(tx, parts, after);
    await countSent(tx, after);
    await finish(tx, { ...after, status: "delivered", delivered_at: now.toISOString() }, now);
    return null;
  }
  if (!attempt.isFinal && (isAnew || attempts < attempt.maxAttempts)) {
    const dueAt = now.getTime() + retryDelayMs(attempts);
    const waiting: Delivery = isAnew ? after : { ...after, status: "retrying", due_at: dueAt };
    await tx.put(deliveries, waiting);
    return null;
  }
  await noteUnfulfilled(tx, parts, after);
  await finish(tx, { ...after, status: "failed" }, now);
  return after;
}

/** Counts an e-mail of the company. */
async function countSent(tx: Transaction, { owner_id, email }: Delivery): Promise<void> {
  const { company_email_id } = email ?? {};
  const own = company_email_id === undefined ? null : await tx.get(companyEmails, owner_id, company_email_id);
  if (own !== null) await tx.put(companyEmails, { ...own, sent_count: own.sent_count + 1 });
}

type Parts = Pick<OutboxParts, "store" | "clock" | "chance">;

/**
 * A receiver that answers 200 to `fulfilment_pending` has given the promoter what the event names, so its payout is
 * completed. After any other success it stays pending.
 *
 * @see docs/spec/events.md "V1's form"
 */
async function completeFulfilled(
  tx: Transaction,
  { store, clock, chance }: Parts,
  delivery: Delivery,
): Promise<void> {
  const payout = delivery.response_code === 200 ? await waitingPayout(tx, delivery) : null;
  if (payout !== null) await moveWithin(tx, { store, now: clock(), chance }, { payout, to: "completed" });
}

/** The payout of an undeliverable event gets an error, which V1 shows as issues. It stays pending. */
async function noteUnfulfilled(tx: Transaction, { clock }: Parts, delivery: Delivery): Promise<void> {
  const before = await waitingPayout(tx, delivery);
  if (before === null) return;
  const after = { ...before, error: `Fulfilment failed: ${delivery.last_error}` };
  await tx.put(payouts, after);
  await announceMoney(tx, { now: clock() }, { entity: "payout", before, after });
}

/** Null if the event is about something else, or the payout is no longer pending. */
async function waitingPayout(tx: Transaction, { owner_id, message }: Delivery): Promise<Payout | null> {
  if (message?.type !== FULFILMENT) return null;
  const payout = await tx.get(payouts, owner_id, message.entity_id);
  return payout?.status === "pending" ? payout : null;
}
