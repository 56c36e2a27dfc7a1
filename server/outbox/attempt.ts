import { accounts } from "../domain/account.ts";
import { isErased } from "../domain/erasure-values.ts";
import { promoters } from "../domain/promoter.ts";
import { isUnsubscribed } from "../domain/unsubscription.ts";
import { validSecrets } from "../domain/webhook.ts";
import { webhooks } from "../domain/webhook-list.ts";
import { webhookPosting } from "../outgoing/webhook-posting.ts";
import { SYSTEM, type Delivery, type EventMessage, type Email } from "../records.ts";
import { eventJson } from "../v2/event-json.ts";
import type { OutboxParts } from "./parts.ts";
import { writeEmail } from "./template.ts";

/** Failed attempts after which a letter is given up, as a webhook's usual number. */
const MAX_EMAIL_ATTEMPTS = 10;

/** What becomes of all that waits for a webhook which is deleted. */
export const WEBHOOK_GONE = "The webhook was deleted";

/** How one sending of a delivery ended. */
export interface Attempt {
  /** The status of the receiver's answer, or a mail server's refusal. null: none came. */
  status: number | null;
  body: string | null;
  /** null: it has arrived. */
  error: string | null;
  /** Whether another attempt could not end otherwise. */
  isFinal: boolean;
  maxAttempts: number;
}

/**
 * Whether what a delivery goes to can be sent to now, later, or never again. Choice: what waits for a webhook that
 * is switched off is sent when it is switched on again; what waits for one that was deleted comes to its end.
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

/** Sends a delivery once. null: not now. */
export function attemptOf(parts: OutboxParts, delivery: Delivery): Promise<Attempt | null> {
  const { message, letter } = delivery;
  if (message !== null) return postEvent(parts, delivery, message);
  return letter === null ? Promise.resolve(undeliverable("empty")) : sendEmail(parts, delivery, letter);
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
  const body = JSON.stringify(eventJson(message));
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
  { id, ownerId, createdAt }: Delivery,
  letter: Email,
): Promise<Attempt | null> {
  const { store, mailer, templates } = parts;
  if (mailer === null) return null;
  if (await isUnsubscribed(store, ownerId, letter.promoterId)) {
    return undeliverable("The promoter has unsubscribed");
  }
  // A letter that waited follows its reader to a new address.
  const promoter = await store.get(promoters, ownerId, letter.promoterId);
  const isGone = promoter === null || isErased(promoter);
  if (isGone) return undeliverable("The promoter was deleted");
  const { email } = promoter;
  const account = await store.get(accounts, SYSTEM, ownerId);
  const { status, error, isFinal } = await mailer.send({
    ...writeEmail(templates, { ...letter, values: { ...letter.values, email } }),
    to: email,
    from: account?.mailSender ?? null,
    unsubscribeUrl: letter.values["unsubscribe_url"] ?? null,
    // The same for each attempt, so that a receiver can drop the second of two.
    messageId: `${id}.${Date.parse(createdAt)}`,
  });
  return { status, body: null, error, isFinal, maxAttempts: MAX_EMAIL_ATTEMPTS };
}

function undeliverable(error: string): Attempt {
  return { status: null, body: null, error, isFinal: true, maxAttempts: 1 };
}
