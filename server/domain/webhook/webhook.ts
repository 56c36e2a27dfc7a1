import { Failure } from "../../failure.ts";
import { MAX_RETRIES, type Webhook, type WebhookSecret } from "./record.ts";
import type { Transaction } from "../../storage/store.ts";
import { accounts, SYSTEM } from "../account/account.ts";
import type { Chance, Context } from "../context.ts";
import type { EventFormat } from "../event/record.ts";
import { isV1EventType } from "../event/v1-event-type.ts";
import { updateWantedEvents } from "../event/wanted-events.ts";
import { loadWebhook, webhooks } from "./webhooks.ts";

/** The scheme asks for 24 to 64 bytes. 44 characters of six bits hold 33. */
const SECRET_LENGTH = 44;
/** How long a replaced secret still signs beside the new one. */
const OVERLAP_MS = 24 * 60 * 60 * 1_000;
/** Each fact is rendered and written once per webhook. */
const MAX_WEBHOOKS = 100;

/** The input for a webhook. undefined: the usual value, or unchanged. */
export interface WebhookInput {
  url?: string | undefined;
  description?: string | null | undefined;
  format?: EventFormat | undefined;
  eventTypes?: string[] | undefined;
  campaignIds?: number[] | undefined;
  isActive?: boolean | undefined;
  timeoutSeconds?: number | undefined;
  maxRetries?: number | undefined;
  headers?: Record<string, string> | undefined;
  basicAuthUser?: string | null | undefined;
  basicAuthPassword?: string | null | undefined;
}

/** Makes a webhook. @throws Failure `refused` if the account has too many, `invalid` */
export async function createWebhook(
  context: Context,
  accountId: number,
  input: WebhookInput & Pick<Webhook, "url" | "eventTypes">,
): Promise<Webhook> {
  const { store, now, chance } = context;
  const id = await store.nextId("webhook");
  const at = now.toISOString();
  return store.transact(async (tx) => {
    // Two webhooks can't both be the last one.
    await tx.lock(accounts, SYSTEM, accountId);
    if ((await tx.view.count(webhooks, "id", accountId, [])) >= MAX_WEBHOOKS) {
      throw new Failure("refused", `An account has at most ${MAX_WEBHOOKS} webhooks`);
    }
    const blank: Webhook = {
      accountId,
      id,
      url: input.url,
      description: null,
      format: "v2",
      eventTypes: input.eventTypes,
      campaignIds: [],
      isActive: true,
      timeoutSeconds: 10,
      maxRetries: MAX_RETRIES,
      headers: {},
      basicAuthUser: null,
      basicAuthPassword: null,
      secrets: [{ text: newSecret(chance), expiresAt: null }],
      createdAt: at,
      updatedAt: at,
    };
    return putWebhook(tx, context, changed(blank, input));
  });
}

/** Changes a webhook. @throws Failure `not_found`, `invalid` */
export function updateWebhook(
  context: Context,
  accountId: number,
  { id, changes }: { id: number; changes: WebhookInput },
): Promise<Webhook> {
  return context.store.transact(async (tx) =>
    putWebhook(tx, context, changed(await loadWebhook(tx, accountId, id), changes)),
  );
}

/** Deletes a webhook. Deliveries that wait for it are never sent. */
export async function deleteWebhook({ store }: Context, accountId: number, id: number): Promise<Webhook> {
  return store.transact(async (tx) => {
    const webhook = await loadWebhook(tx, accountId, id);
    await tx.remove(webhooks, accountId, id);
    await updateWantedEvents(tx, accountId);
    return webhook;
  });
}

/**
 * Gives a webhook a new secret. The former one signs beside it for a day, so that the receiver can switch. Older ones
 * stop at once.
 *
 * @throws Failure `not_found`
 */
export function rotateSecret(context: Context, accountId: number, id: number): Promise<Webhook> {
  const { store, now, chance } = context;
  const expiresAt = new Date(now.getTime() + OVERLAP_MS).toISOString();
  return store.transact(async (tx) => {
    const webhook = await loadWebhook(tx, accountId, id);
    const former = webhook.secrets.slice(0, 1).map(({ text }) => ({ text, expiresAt }));
    const secrets = [{ text: newSecret(chance), expiresAt: null }, ...former];
    return putWebhook(tx, context, { ...webhook, secrets });
  });
}

/** The secrets that sign at an instant, newest first. */
export function validSecrets({ secrets }: { secrets: WebhookSecret[] }, now: Date): string[] {
  return secrets
    .filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime())
    .map(({ text }) => text);
}

async function putWebhook(tx: Transaction, { now }: Context, webhook: Webhook): Promise<Webhook> {
  const after = { ...webhook, updatedAt: now.toISOString() };
  await tx.put(webhooks, after);
  await updateWantedEvents(tx, after.accountId);
  return after;
}

function changed(before: Webhook, changes: WebhookInput): Webhook {
  const { description, basicAuthUser, basicAuthPassword } = changes;
  const after: Webhook = {
    ...before,
    url: changes.url ?? before.url,
    description: description === undefined ? before.description : description,
    format: changes.format ?? before.format,
    eventTypes: changes.eventTypes ?? before.eventTypes,
    campaignIds: changes.campaignIds ?? before.campaignIds,
    isActive: changes.isActive ?? before.isActive,
    timeoutSeconds: changes.timeoutSeconds ?? before.timeoutSeconds,
    maxRetries: changes.maxRetries ?? before.maxRetries,
    headers: changes.headers ?? before.headers,
    basicAuthUser: basicAuthUser === undefined ? before.basicAuthUser : basicAuthUser,
    basicAuthPassword: basicAuthPassword === undefined ? before.basicAuthPassword : basicAuthPassword,
  };
  refuseForeignTypes(after);
  // Choice: a password without a user has no meaning and is dropped.
  if (after.basicAuthUser === null) return { ...after, basicAuthPassword: null };
  if (after.basicAuthPassword !== null) return after;
  const fields = { basicAuthPassword: ["can't be blank with a basic_auth_user"] };
  throw new Failure("invalid", "The record breaks a rule", fields);
}

/** @throws Failure `invalid` if an event type belongs to the other format */
function refuseForeignTypes({ format, eventTypes }: Webhook): void {
  if (eventTypes.every((type) => isV1EventType(type) === (format === "v1"))) return;
  const fields = { eventTypes: [`must be event types of the format ${format}`] };
  throw new Failure("invalid", "The record breaks a rule", fields);
}

/** Makes a signing secret. */
export function newSecret(chance: Chance): string {
  return `whsec_${Buffer.from(chance.token(SECRET_LENGTH), "base64url").toString("base64")}`;
}
