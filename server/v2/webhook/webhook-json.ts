import { z } from "zod";
import { EVENT_FORMATS } from "../../domain/events/event-type.ts";
import type { Webhook } from "../../domain/events/webhook/webhook.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

/** A webhook of V2. */
export const webhookAnswer = z
  .object({
    id: recordId,
    url: field(z.string(), "Address that events are posted to.", "https://app.example.com/hooks"),
    description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
    format: field(z.enum(EVENT_FORMATS), "Form of the events.", "v2"),
    event_types: field(z.array(z.string()), "The types of events that are sent.", ["referral.created"]),
    campaign_ids: field(
      z.array(z.int()),
      "Ids of the campaigns whose events are sent. Empty means all.",
      [1],
    ),
    active: field(z.boolean(), "Whether events are sent."),
    timeout: field(z.int(), "Seconds that your server has to answer.", 30),
    max_retries: field(z.int(), "How often a failed delivery is retried.", 5),
    headers: field(z.record(z.string(), z.string()), "Headers that are sent with each event.", {
      "X-Team": "growth",
    }),
    basic_auth_user: field(
      z.string().nullable(),
      "User name for HTTP authentication at your server, or null for none.",
      null,
    ),
    basic_auth_enabled: field(z.boolean(), "Whether events are sent with a user name and password."),
    created_at: createdAt,
    updated_at: field(z.iso.datetime(), "When the record was last changed."),
  })
  .meta({ id: "Webhook" });

/** A webhook with its signing key, which is shown only once. */
export const webhookWithSecretAnswer = webhookAnswer
  .extend({
    secret_key: field(
      z.string(),
      "Key that signs the events. It is shown only once.",
      "whsec_dGlkZW1hcmstZXhhbXBsZS1zZWNyZXQtMzM=",
    ),
  })
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
