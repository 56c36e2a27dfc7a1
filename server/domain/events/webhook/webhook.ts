import { Failure } from "../../../failure.ts";
import type { Reader, Transaction } from "../../../storage/store.ts";
import { flag, integer, json, table, text, time, type RowOf } from "../../../storage/table.ts";
import type { Chance, Context } from "../../context.ts";
import type { EmailKind } from "../email.ts";
import { causeOf, EMAIL_EVENTS, isV1EventType, type EventFormat } from "../event-type.ts";
import { wantedEvents } from "../event.ts";

/** The maximum and default number of attempts. */
export const MAX_RETRIES = 10;

const fields = {
  id: integer(),
  url: text(),
  description: text().nullable(),
  format: text<EventFormat>(),
  /** Types of its format. */
  event_types: json<string[]>(),
  /** Restricts events to these campaigns. Empty: all. */
  campaign_ids: json<number[]>(),
  is_active: flag(),
  timeout_seconds: integer(),
  /** Failed attempts after which a delivery fails for good. At least one attempt is made. */
  max_retries: integer(),
  headers: json<Record<string, string>>().secret(),
  basic_auth_user: text().nullable(),
  basic_auth_password: text().nullable().secret(),
  /** Newest first. */
  secrets: json<WebhookSecret[]>().secret(),
  created_at: time(),
  updated_at: time(),
};

/** A receiver of events. */
export type Webhook = RowOf<typeof fields>;

/** A secret that signs deliveries. */
interface WebhookSecret {
  /** `whsec_` and 33 bytes in base64. */
  text: string;
  /** Null for the newest one, which is valid until it is replaced. */
  expires_at: string | null;
}

export const webhooks = table("webhook", fields);

/** @throws Failure `not_found` */
export async function loadWebhook(reader: Reader, accountId: number, id: number): Promise<Webhook> {
  const webhook = await reader.get(webhooks, accountId, id);
  if (webhook === null) throw new Failure("not_found", "Webhook not found.");
  return webhook;
}

/** The input for a webhook. Undefined fields get their default, or stay unchanged. */
export interface WebhookInput {
  url?: string | undefined;
  description?: string | null | undefined;
  format?: EventFormat | undefined;
  event_types?: string[] | undefined;
  campaign_ids?: number[] | undefined;
  is_active?: boolean | undefined;
  timeout_seconds?: number | undefined;
  max_retries?: number | undefined;
  headers?: Record<string, string> | undefined;
  basic_auth_user?: string | null | undefined;
  basic_auth_password?: string | null | undefined;
}

/** Reads which e-mails an account's campaigns send, because e-mails are made from events too. */
export type EmailsOf = (tx: Transaction, accountId: number) => Promise<Iterable<EmailKind>>;

/** Each fact is rendered and written once per webhook. */
const MAX_WEBHOOKS = 100;

/** How webhooks are changed. */
interface WebhookChange {
  emailsOf: EmailsOf;
  /** Whether the caller may see the details of payout methods, which some events have. Absent: yes. */
  seesDetails?: boolean;
}

/** Makes a webhook. @throws Failure `refused` if the account has too many, `invalid`, `forbidden` for hidden details */
export async function createWebhook(
  tx: Transaction,
  context: Context,
  accountId: number,
  { emailsOf, seesDetails, ...input }: WebhookInput & Pick<Webhook, "url" | "event_types"> & WebhookChange,
): Promise<Webhook> {
  if (seesDetails === false) refuseDetails(input);
  const id = await tx.nextId("webhook");
  // Otherwise two concurrent requests could both create the last one.
  await tx.lock(wantedEvents, accountId, 1);
  if ((await tx.view.count(webhooks, "id", accountId, [])) >= MAX_WEBHOOKS) {
    throw new Failure("refused", `An account has at most ${MAX_WEBHOOKS} webhooks`);
  }
  const at = context.now.toISOString();
  const blank: Webhook = {
    account_id: accountId,
    id,
    url: input.url,
    description: null,
    format: "v2",
    event_types: input.event_types,
    campaign_ids: [],
    is_active: true,
    timeout_seconds: 30,
    max_retries: MAX_RETRIES,
    headers: {},
    basic_auth_user: null,
    basic_auth_password: null,
    secrets: [{ text: newSecret(context.chance), expires_at: null }],
    created_at: at,
    updated_at: at,
  };
  return putWebhook(tx, context, { after: changed(blank, input), emailsOf });
}

/** Changes a webhook. @throws Failure `not_found`, `invalid`, `forbidden` for hidden details */
export async function updateWebhook(
  tx: Transaction,
  context: Context,
  accountId: number,
  { id, changes, emailsOf, seesDetails }: { id: number; changes: WebhookInput } & WebhookChange,
): Promise<Webhook> {
  const before = await loadWebhook(tx, accountId, id);
  const after = changed(before, changes);
  if (seesDetails === false) for (const each of [before, after]) refuseDetails(each);
  return putWebhook(tx, context, { after, emailsOf });
}

/** The events of V2 that have the details of a payout method. */
const HAS_DETAILS = /^(?:payout|payout_method)\./;

/**
 * Otherwise a user who may not see bank accounts could let them be posted to an address of their own.
 *
 * @throws Failure `forbidden`
 * @see docs/spec/v2.md "Payout method"
 */
function refuseDetails({ event_types }: Pick<Webhook, "event_types">): void {
  if (!event_types.some((type) => HAS_DETAILS.test(type))) return;
  throw new Failure(
    "forbidden",
    "Only an owner or an API key sets up a webhook with events of payouts or payout methods",
  );
}

/** Deletes a webhook. Its waiting deliveries are never sent. */
export async function deleteWebhook(
  tx: Transaction,
  accountId: number,
  { id, emailsOf }: { id: number; emailsOf: EmailsOf },
): Promise<Webhook> {
  const webhook = await loadWebhook(tx, accountId, id);
  await tx.remove(webhooks, accountId, id);
  await updateWantedEvents(tx, accountId, emailsOf);
  return webhook;
}

/** How long a replaced secret still signs along with the new one. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000;

/**
 * Gives a webhook a new secret. For a day, the previous one signs as well, so that the receiver can switch.
 * Older ones stop immediately.
 *
 * @throws Failure `not_found`
 */
export async function rotateSecret(
  tx: Transaction,
  { now, chance }: Context,
  accountId: number,
  id: number,
): Promise<Webhook> {
  const webhook = await loadWebhook(tx, accountId, id);
  const expiresAt = new Date(now.getTime() + OVERLAP_MS).toISOString();
  const former = webhook.secrets.slice(0, 1).map(({ text }) => ({ text, expires_at: expiresAt }));
  const secrets = [{ text: newSecret(chance), expires_at: null }, ...former];
  const after = { ...webhook, secrets, updated_at: now.toISOString() };
  await tx.put(webhooks, after);
  return after;
}

/** The secrets that sign at an instant, newest first. */
export function validSecrets({ secrets }: { secrets: WebhookSecret[] }, now: Date): string[] {
  return secrets
    .filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > now.getTime())
    .map(({ text }) => text);
}

/** The scheme requires 24 to 64 bytes. 44 base64 characters hold 33. */
const SECRET_LENGTH = 44;

/** Makes a signing secret. */
export function newSecret(chance: Chance): string {
  return `whsec_${Buffer.from(chance.token(SECRET_LENGTH), "base64url").toString("base64")}`;
}

/**
 * Updates the list of wanted events, after the same transaction has changed a webhook or a campaign's
 * e-mails.
 */
export async function updateWantedEvents(
  tx: Transaction,
  accountId: number,
  emailsOf: EmailsOf,
): Promise<void> {
  const before = await tx.get(wantedEvents, accountId, 1);
  const wanted = new Set<string>();
  for (const webhook of await tx.view.list(webhooks, "id", accountId, [])) {
    if (webhook.is_active) for (const type of webhook.event_types) wanted.add(causeOf(type));
  }
  for (const kind of await emailsOf(tx, accountId)) wanted.add(EMAIL_EVENTS[kind]);
  const eventTypes = [...wanted].toSorted();
  await tx.put(wantedEvents, {
    account_id: accountId,
    event_types: eventTypes,
    version: (before?.version ?? 0) + 1,
  });
}

async function putWebhook(
  tx: Transaction,
  { now }: Context,
  { after, emailsOf }: { after: Webhook; emailsOf: EmailsOf },
): Promise<Webhook> {
  const webhook = { ...after, updated_at: now.toISOString() };
  await tx.put(webhooks, webhook);
  await updateWantedEvents(tx, webhook.account_id, emailsOf);
  return webhook;
}

function changed(before: Webhook, changes: WebhookInput): Webhook {
  const { description, basic_auth_user, basic_auth_password } = changes;
  const after: Webhook = {
    ...before,
    url: changes.url ?? before.url,
    description: description === undefined ? before.description : description,
    format: changes.format ?? before.format,
    event_types: changes.event_types ?? before.event_types,
    campaign_ids: changes.campaign_ids ?? before.campaign_ids,
    is_active: changes.is_active ?? before.is_active,
    timeout_seconds: changes.timeout_seconds ?? before.timeout_seconds,
    max_retries: changes.max_retries ?? before.max_retries,
    headers: changes.headers ?? before.headers,
    basic_auth_user: basic_auth_user === undefined ? before.basic_auth_user : basic_auth_user,
    basic_auth_password: basic_auth_password === undefined ? before.basic_auth_password : basic_auth_password,
  };
  refuseForeignTypes(after);
  // A password without a user is dropped.
  // @see docs/spec/v2.md "Webhooks"
  if (after.basic_auth_user === null) return { ...after, basic_auth_password: null };
  if (after.basic_auth_password !== null) return after;
  const fields = { basic_auth_password: ["can't be blank with a basic_auth_user"] };
  throw new Failure("invalid", "The record breaks a rule", fields);
}

/** @throws Failure `invalid` if an event type belongs to the other format */
function refuseForeignTypes({ format, event_types }: Webhook): void {
  if (event_types.every((type) => isV1EventType(type) === (format === "v1"))) return;
  const fields = { event_types: [`must be event types of the format ${format}`] };
  throw new Failure("invalid", "The record breaks a rule", fields);
}
