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
import type { EventMessage } from "../domain/events/event-type.ts";
import { notMeUrl } from "../domain/ledger/payout-method/hold.ts";
import { signInUrl, type LinkKind } from "../domain/people/portal/sign-in.ts";
import { mailLanguage, promoterName, promoters } from "../domain/people/promoter/promoter.ts";
import { linkAddress, putUserLink } from "../domain/access/user/sign-in.ts";
import { canOwn, findUser } from "../domain/access/user/user.ts";
import type { Delivery } from "../domain/events/webhook/delivery.ts";
import { validSecrets, webhooks } from "../domain/events/webhook/webhook.ts";
import { companyEmails, emailTexts, findLayout } from "../domain/program/company-email/company-email.ts";
import type { Language } from "../languages/languages.ts";
import { lookIn } from "../outgoing/email-look.ts";
import { writeCompanyEmail, type WrittenEmail } from "../outgoing/email-text.ts";
import type { WantedSender } from "../outgoing/mail-sender.ts";
import { webhookPosting } from "../outgoing/post.ts";
import { postedJson } from "../v2/webhook/event-json.ts";
import { writeEmail } from "./email-template.ts";
import type { OutboxParts } from "./parts.ts";

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
export interface Attempt {
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
  { ownerId, webhookId }: Delivery,
): Promise<"now" | "later" | "never"> {
  if (webhookId === null) return parts.mailer === null ? "later" : "now";
  const webhook = await parts.store.get(webhooks, ownerId, webhookId);
  if (webhook === null) return "never";
  return webhook.isActive ? "now" : "later";
}

/** Sends a delivery once. Resolves to null if it can't be sent now. */
export function attemptOf(parts: OutboxParts, delivery: Delivery): Promise<Attempt | null> {
  const { message, email } = delivery;
  if (message !== null) return postEvent(parts, delivery, message);
  return email === null ? Promise.resolve(undeliverable("empty")) : sendEmail(parts, delivery, email);
}

async function postEvent(
  parts: OutboxParts,
  { ownerId, webhookId }: Delivery,
  message: EventMessage,
): Promise<Attempt | null> {
  const webhook = await parts.store.get(webhooks, ownerId, webhookId ?? 0);
  if (webhook === null) return undeliverable(WEBHOOK_GONE);
  if (!webhook.isActive) return null;
  const now = parts.clock();
  const target = { ...webhook, secrets: validSecrets(webhook, now) };
  const { eventId, type } = message;
  const body = JSON.stringify(postedJson(message));
  const receipt = await parts.post(webhookPosting(target, { eventId, type, body, now }));
  return {
    status: receipt.status,
    body: receipt.body,
    error: receipt.error,
    isFinal: false,
    maxAttempts: Math.max(1, webhook.maxRetries),
  };
}

async function sendEmail(
  parts: OutboxParts,
  delivery: Delivery,
  email: Email | OwnEmail,
): Promise<Attempt | null> {
  const { id, ownerId, createdAt } = delivery;
  const { store, mailer, publicUrl } = parts;
  if (mailer === null) return null;
  if (email.promoterId === null) return sendToUser(parts, delivery, email);
  const { kind } = email;
  const isAlwaysSent = isAccessEmail(kind) || isMoneyEmail(kind);
  if (!isAlwaysSent && (await isUnsubscribed(store, ownerId, email.promoterId))) {
    return undeliverable("The promoter has unsubscribed");
  }
  // If the promoter has changed their address since, the e-mail goes to the new one.
  const promoter = await store.get(promoters, ownerId, email.promoterId);
  const isGone = promoter === null || isErased(promoter);
  if (isGone) return undeliverable("The promoter was deleted");
  const address = promoter.email;
  const account = await store.get(accounts, SYSTEM, ownerId);
  const now = parts.clock();
  const isLate = kind === "sign_in_link" && now.getTime() - Date.parse(createdAt) > LATE_SIGN_IN_MS;
  if (account === null || isLate) return undeliverable("The link is no longer needed");
  const link = isAccessEmail(kind) && {
    sign_in_url: signInUrl({ publicUrl, now }, { account, promoter }, LINK_OF[kind]),
  };
  const { changed_at: changedAt = "" } = email.values;
  const money = isMoneyEmail(kind) && {
    portal_url: `${publicUrl}/portal`,
    not_me_url: notMeUrl(publicUrl, account, { promoterId: promoter.id, changedAt }),
  };
  const values = { ...email.values, email: address, ...link, ...money };
  const written = await writtenEmail(
    parts,
    { accountId: ownerId, language: mailLanguage(account, promoter) },
    { ...email, values, brand: emailBrand(account, publicUrl) },
  );
  if (written === null) return undeliverable("The e-mail was deleted");
  const { status, error, isFinal } = await mailer.send({
    ...written,
    to: address,
    sender: promoterSender(account),
    unsubscribeUrl: email.values["unsubscribe_url"] ?? null,
    // The same for every attempt, so that a mail server can drop a duplicate.
    messageId: `${id}.${Date.parse(createdAt)}`,
  });
  return { status, body: null, error, isFinal, maxAttempts: MAX_EMAIL_ATTEMPTS };
}

/** An e-mail with the company's own text, otherwise from its template. Null if it was the company's and is deleted. */
async function writtenEmail(
  { store, templates }: OutboxParts,
  { accountId, language }: { accountId: number; language: Language },
  { brand, ...email }: (Email | OwnEmail) & { brand: ShownBrand | null },
): Promise<WrittenEmail | null> {
  const { companyEmailId } = email;
  const own = companyEmailId === undefined ? null : await store.get(companyEmails, accountId, companyEmailId);
  if (own !== null) {
    const layout = await findLayout(store, accountId);
    const look = brand && lookIn(brand, language);
    return writeCompanyEmail({ ...emailTexts(own, language), layout, reader: language, look }, email.values);
  }
  return email.kind === "own" ? null : writeEmail(templates, { ...email, language, brand });
}

async function sendToUser(
  parts: OutboxParts,
  delivery: Delivery,
  email: Email | OwnEmail,
): Promise<Attempt | null> {
  const { mailer, templates } = parts;
  const opened = await openUserEmail(parts, delivery);
  if (opened === null || mailer === null || email.kind === "own")
    return undeliverable("The link is no longer needed");
  const { to, sender, values } = opened;
  const written = writeEmail(templates, { ...email, values });
  const messageId = `${delivery.id}.${Date.parse(delivery.createdAt)}`;
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
  { store, clock, chance, publicUrl }: OutboxParts,
  { ownerId, createdAt, email }: Delivery,
): Promise<UserEmail | null> {
  const now = clock();
  const userId = email?.userId ?? 0;
  const { kind: emailKind } = email ?? {};
  const isLink = !isOwnerEmail(emailKind);
  if (isLink && now.getTime() - Date.parse(createdAt) > LATE_USER_LINK_MS) return null;
  return store.transact(async (tx) => {
    const user = await findUser(tx, userId);
    const account = await tx.get(accounts, SYSTEM, ownerId);
    if (user === null || account === null) return null;
    const sender = { address: account.mailSender, name: null, replyTo: null };
    if (!isLink) {
      if (!canOwn(user)) return null;
      const promoter = await tx.get(promoters, ownerId, Number(email?.values["promoter_id"] ?? 0));
      const named = promoter && { promoter: promoterName(promoter), promoter_email: promoter.email };
      const dashboard_url = `${publicUrl}/admin/payouts`;
      const values = { ...email?.values, ...named, email: user.email, dashboard_url };
      return { to: user.email, sender, values };
    }
    const kind = user.passwordHash === null ? "invitation" : "reset";
    const token = await putUserLink(tx, { chance, now }, { kind, ownerId, userId, keepsOthers: true });
    return {
      to: user.email,
      sender,
      values: { ...email?.values, email: user.email, password_url: linkAddress(publicUrl, token) },
    };
  });
}
