import { z } from "zod";
import { EVENT_FORMATS } from "../../domain/event/event-type.ts";
import type { Webhook } from "../../domain/webhook/webhook.ts";

/** A webhook of V2. */
export const webhookAnswer = z
  .object({
    id: z.int(),
    url: z.string(),
    description: z.string().nullable(),
    format: z.enum(EVENT_FORMATS),
    event_types: z.array(z.string()),
    campaign_ids: z.array(z.int()),
    active: z.boolean(),
    timeout: z.int(),
    max_retries: z.int(),
    headers: z.record(z.string(), z.string()),
    basic_auth_user: z.string().nullable(),
    basic_auth_enabled: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Webhook" });

/** A webhook with its signing key, which is shown once, when it is made. */
export const webhookWithSecretAnswer = webhookAnswer
  .extend({ secret_key: z.string() })
  .meta({ id: "WebhookWithSecret" });

/** A webhook as V2 shows it. Its password is never shown. */
export function webhookJson(webhook: Webhook): z.output<typeof webhookAnswer> {
  return {
    id: webhook.id,
    url: webhook.url,
    description: webhook.description,
    format: webhook.format,
    event_types: webhook.eventTypes,
    campaign_ids: webhook.campaignIds,
    active: webhook.isActive,
    timeout: webhook.timeoutSeconds,
    max_retries: webhook.maxRetries,
    headers: webhook.headers,
    basic_auth_user: webhook.basicAuthUser,
    basic_auth_enabled: webhook.basicAuthUser !== null,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

/** A webhook with its newest secret. */
export function webhookWithSecretJson(webhook: Webhook): z.output<typeof webhookWithSecretAnswer> {
  return { ...webhookJson(webhook), secret_key: webhook.secrets[0]?.text ?? "" };
}
