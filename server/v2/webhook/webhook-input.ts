import { z } from "zod";
import { EVENT_FORMATS, EVENT_TYPES, isV1EventType } from "../../domain/events/event-type.ts";
import { MAX_RETRIES, type WebhookInput } from "../../domain/events/webhook/webhook.ts";
import { Failure } from "../../failure.ts";
import {
  flag,
  id,
  listOf,
  longText,
  oneOf,
  splitList,
  text,
  webAddress,
  wholeNumber,
} from "../../input/fields.ts";
import type { Post } from "../../outgoing/post.ts";
import { parseUrl } from "../../url.ts";
import { field } from "../../http/fields.ts";
import { webhookAnswer } from "./webhook-json.ts";

const MAX_HEADERS = 20;
const MAX_TIMEOUT_SECONDS = 120;
/** Headers of the connection, and headers that the server sets itself. */
const RESERVED_HEADER =
  /^(host|connection|content-.*|transfer-encoding|expect|upgrade|te|trailer|keep-alive|proxy-.*|webhook-.*|x-event-.*)$/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** Visible ASCII and blanks only, because a line break would start another header. */
const HEADER_VALUE = /^[\x20-\x7e]{0,1000}$/;

const url = text
  .trim()
  .pipe(webAddress)
  // The address is visible to everyone who lists webhooks.
  .refine((value) => {
    const address = parseUrl(value);
    return address === null || address.username + address.password === "";
  }, "must not name a user; use basic_auth_user and basic_auth_password");

/** A type of either format. */
export const eventType = z
  .string("is invalid")
  .refine((type) => EVENT_TYPES.includes(type) || isV1EventType(type), "is not an event type");

const eventTypes = field(
  z
    .preprocess(splitList, z.array(eventType, "is invalid").min(1, "can't be blank"))
    .transform((types) => [...new Set(types)]),
  webhookAnswer.shape.event_types,
);

const headers = field(
  z
    .record(z.string(), z.union([z.string(), z.number()], "is invalid").transform(String), "is invalid")
    .superRefine((given, context) => {
      if (Object.keys(given).length > MAX_HEADERS) {
        context.addIssue(`is too long (maximum is ${MAX_HEADERS} entries)`);
      }
      for (const [name, value] of Object.entries(given)) {
        if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) context.addIssue("is invalid");
        else if (RESERVED_HEADER.test(name)) context.addIssue(`must not set ${name}`);
      }
    }),
  webhookAnswer.shape.headers,
);

/** The first colon ends the user name (RFC 7617). */
const user = text.refine((value) => !value.includes(":"), "must not contain a colon");

/** The fields of a webhook that can be changed. @see docs/spec/v2.md "Webhooks" */
export const updateBody = z
  .object({
    url: field(url, webhookAnswer.shape.url),
    format: field(
      oneOf(EVENT_FORMATS),
      "Form of the events: `v2`, or `v1` for connectors that know the older form.",
      "v2",
    ),
    event_types: eventTypes,
    active: field(flag, "Whether events are sent."),
    timeout: field(wholeNumber(1, MAX_TIMEOUT_SECONDS), webhookAnswer.shape.timeout),
    max_retries: field(wholeNumber(0, MAX_RETRIES), webhookAnswer.shape.max_retries),
    description: field(longText.nullable(), webhookAnswer.shape.description),
    campaign_ids: field(listOf(id), webhookAnswer.shape.campaign_ids),
    headers,
    basic_auth_user: field(user.nullable(), webhookAnswer.shape.basic_auth_user),
    basic_auth_password: field(
      text.nullable(),
      "Password for HTTP authentication at your server. It is never shown.",
      "s3cret",
    ),
  })
  .partial();

/** The fields of a new webhook. */
export const createBody = updateBody.extend({
  format: field(
    updateBody.shape.format,
    "Form of the events: `v2`, or `v1` for connectors that know the older form. Default: `v2`.",
  ),
  url: field(url, webhookAnswer.shape.url),
  event_types: eventTypes,
});

/** A test needs an address, or a webhook that has one. */
export const testBody = updateBody
  .pick({ url: true, headers: true, basic_auth_user: true, basic_auth_password: true })
  .extend({
    url: field(updateBody.shape.url, "Address that the test is posted to."),
    webhook_id: field(id.optional(), "Id of the webhook.", 4),
    event_type: field(eventType, "What happened.", "referral.created"),
  })
  .refine((body) => (body.url ?? body.webhook_id) !== undefined, { path: ["url"], error: "can't be blank" });

/**
 * Refuses an address that is visibly private. A host name is checked when it is connected to, because its target can
 * change.
 *
 * @throws Failure `invalid`
 */
export function refusePrivate(post: Post, { url: given }: z.output<typeof updateBody>): void {
  if (given === undefined || !post.refuses(given)) return;
  const fields = { url: ["must not lead to a private or internal address"] };
  throw new Failure("invalid", "The webhook leads to a private address", fields);
}

/**
 * Converts a body to the domain's names. An empty list of `campaign_ids` means all campaigns.
 */
export function inputOf(body: z.output<typeof updateBody>): WebhookInput {
  return {
    url: body.url,
    description: body.description,
    format: body.format,
    eventTypes: body.event_types,
    campaignIds: body.campaign_ids,
    isActive: body.active,
    timeoutSeconds: body.timeout,
    maxRetries: body.max_retries,
    headers: body.headers,
    basicAuthUser: body.basic_auth_user,
    basicAuthPassword: body.basic_auth_password,
  };
}
