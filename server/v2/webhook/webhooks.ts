import { z } from "zod";
import { emailsOf } from "../../domain/program/campaign/campaign.ts";
import { EVENT_FORMATS, EVENT_TYPES, V1_EVENT_TYPES, isV1EventType } from "../../domain/events/event-type.ts";
import {
  createWebhook,
  deleteWebhook,
  loadWebhook,
  rotateSecret,
  updateWebhook,
  MAX_RETRIES,
  webhooks,
  type Webhook,
  type WebhookInput,
} from "../../domain/events/webhook/webhook.ts";
import { readQuery } from "../../http/parameters/form.ts";
import { readJson } from "../../http/parameters/json.ts";
import {
  oneOf,
  flag,
  id,
  listOf,
  longText,
  splitList,
  text,
  webAddress,
  wholeNumber,
} from "../../input/fields.ts";
import { listed } from "../../resource/list.ts";
import { readPathId } from "../../resource/listing.ts";
import { changes, does, lists, reads } from "../../resource/operations.ts";
import { shown } from "../../resource/answer.ts";
import { shapeInput } from "../../input/shape.ts";
import { recordError, type V2Operation } from "../operation.ts";
import { seesPayoutDetails } from "../payout/masked-details.ts";
import { field, createdAt, recordId } from "../../http/fields.ts";
import { Failure } from "../../failure.ts";
import type { Post } from "../../outgoing/post.ts";
import { parseUrl } from "../../url.ts";

/** @see docs/spec/common.md "Pages" */
export const WEBHOOK_PAGES = { usual: 25, most: 100 };

const shape = recordError();

/** A webhook of V2. Its password is never shown. */
const webhookAnswer = shown(webhooks)("Webhook", {
  id: recordId,
  url: field(z.string(), "Address that events are posted to.", "https://app.example.com/hooks"),
  description: field(z.string().nullable(), "A longer description.", "Ten percent off in spring"),
  format: field(z.enum(EVENT_FORMATS), "Form of the events.", "v2"),
  event_types: field(z.array(z.string()), "The types of events that are sent.", ["referral.created"]),
  campaign_ids: field(z.array(z.int()), "Ids of the campaigns whose events are sent. Empty means all.", [1]),
  active: [field(z.boolean(), "Whether events are sent."), ({ is_active }) => is_active],
  timeout: [
    field(z.int(), "Seconds that your server has to answer.", 30),
    ({ timeout_seconds }) => timeout_seconds,
  ],
  max_retries: field(z.int(), "How often a failed delivery is retried.", 5),
  headers: field(z.record(z.string(), z.string()), "Headers that are sent with each event.", {
    "X-Team": "growth",
  }),
  basic_auth_user: field(
    z.string().nullable(),
    "User name for HTTP authentication at your server, or null for none.",
    null,
  ),
  basic_auth_enabled: [
    field(z.boolean(), "Whether events are sent with a user name and password."),
    ({ basic_auth_user }) => basic_auth_user !== null,
  ],
  created_at: createdAt,
  updated_at: field(z.iso.datetime(), "When the record was last changed."),
});
const { schema: webhookSchema, json: webhookJson } = webhookAnswer;
const { shape: shownFields } = webhookSchema;

export const listWebhooksOperation: V2Operation = lists(webhookAnswer, {
  id: "listWebhooks",
  summary: "List webhooks, newest first",
  description: "Lists webhooks, newest first.",
  list: listed(webhooks, { newestBy: "created_at", lengths: WEBHOOK_PAGES })(),
  refusals: [],
});

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
  shownFields.event_types,
);
const MAX_TIMEOUT_SECONDS = 120;

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
  shownFields.headers,
);

/** The first colon ends the user name (RFC 7617). */
const user = text.refine((value) => !value.includes(":"), "must not contain a colon");

/** The fields of a webhook that can be changed. @see docs/spec/v2.md "Webhooks" */
const updateBody = z
  .object({
    url: field(url, shownFields.url),
    format: field(
      oneOf(EVENT_FORMATS),
      "Form of the events: `v2`, or `v1` for connectors that know the older form.",
      "v2",
    ),
    event_types: eventTypes,
    active: field(flag, "Whether events are sent."),
    timeout: field(wholeNumber(1, MAX_TIMEOUT_SECONDS), shownFields.timeout),
    max_retries: field(wholeNumber(0, MAX_RETRIES), shownFields.max_retries),
    description: field(longText.nullable(), shownFields.description),
    campaign_ids: field(listOf(id), shownFields.campaign_ids),
    headers,
    basic_auth_user: field(user.nullable(), shownFields.basic_auth_user),
    basic_auth_password: field(
      text.nullable(),
      "Password for HTTP authentication at your server. It is never shown.",
      "s3cret",
    ),
  })
  .partial();

/** The fields of a new webhook. */
const createBody = updateBody.extend({
  format: field(
    updateBody.shape.format,
    "Form of the events: `v2`, or `v1` for connectors that know the older form. Default: `v2`.",
  ),
  url: field(url, shownFields.url),
  event_types: eventTypes,
});

/** A webhook with its signing key, which is shown only once. */
export const webhookWithSecretAnswer = webhookSchema
  .extend({
    secret_key: field(
      z.string(),
      "Key that signs the events. It is shown only once.",
      "whsec_dGlkZW1hcmstZXhhbXBsZS1zZWNyZXQtMzM=",
    ),
  })
  .meta({ id: "WebhookWithSecret" });

/** Only this answer and that of a rotation show `secret_key`. */
export const createWebhookOperation: V2Operation = {
  id: "createWebhook",
  summary: "Create a webhook",
  description:
    "Adds an address that events are posted to. Only this answer contains the signing key. Events of payouts and payout methods have bank details, so only owners and keys may ask for them.",
  body: createBody,
  answer: webhookWithSecretAnswer,
  status: 201,
  refusals: ["invalid", "refused"],
  shape,
  handle: async ({ event, account, caller, context, post }) => {
    const body = shapeInput(createBody, await readJson(event));
    refusePrivate(post, body);
    const { url, event_types } = body;
    const input = { ...inputOf(body), url, event_types, emailsOf, seesDetails: seesPayoutDetails(caller) };
    return withSecretJson(
      await context.store.transact((tx) => createWebhook(tx, context, account.id, input)),
    );
  },
};

const typeParams = z.object({
  format: field(
    oneOf(EVENT_FORMATS).default("v2"),
    "Form of the events whose types are listed. Default: `v2`.",
    "v2",
  ),
});

/** `GET /api/v2/company/webhooks/event_types`. `format` is an addition. */
export const listEventTypesOperation: V2Operation = {
  id: "listEventTypes",
  summary: "List the types of events",
  description: "Lists the types of events that a webhook can subscribe to.",
  params: typeParams,
  answer: z.object({ data: field(z.array(z.string()), "The types of events.", ["referral.created"]) }),
  refusals: ["invalid"],
  handle: async ({ event }) => {
    const { format } = shapeInput(typeParams, readQuery(event));
    return { data: format === "v1" ? V1_EVENT_TYPES : EVENT_TYPES };
  },
};

export const getWebhookOperation: V2Operation = reads(webhookAnswer, {
  id: "getWebhook",
  summary: "Get a webhook",
  description: "Finds one webhook.",
  refusals: ["not_found", "invalid"],
  load: loadWebhook,
});

export const updateWebhookOperation: V2Operation = changes(webhookAnswer, {
  id: "updateWebhook",
  summary: "Update a webhook",
  description: "Changes a webhook. What you leave out stays.",
  example: { active: false },
  body: updateBody,
  refusals: ["not_found", "invalid"],
  shape,
  run(tx, { account, caller, context, post }, { id, changes: body }) {
    refusePrivate(post, body);
    const given = { id, changes: inputOf(body), emailsOf, seesDetails: seesPayoutDetails(caller) };
    return updateWebhook(tx, context, account.id, given);
  },
});

export const deleteWebhookOperation: V2Operation = does(webhookAnswer, {
  id: "deleteWebhook",
  summary: "Delete a webhook",
  description: "Removes a webhook. Its waiting events are not sent.",
  refusals: ["not_found", "invalid"],
  run: (tx, { account }, id) => deleteWebhook(tx, account.id, { id, emailsOf }),
});

/**
 * `POST /api/v2/company/webhooks/{id}/rotate_secret`. The original API can't replace a secret.
 */
export const rotateSecretOperation: V2Operation = {
  id: "rotateWebhookSecret",
  summary: "Give a webhook a new secret; the old one also signs for 24 hours",
  description: "Gives a webhook a new key. For 24 hours, events are signed with the old one as well.",
  answer: webhookWithSecretAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) => {
    const id = readPathId(event);
    return withSecretJson(await context.store.transact((tx) => rotateSecret(tx, context, account.id, id)));
  },
};

const MAX_HEADERS = 20;
/** Headers of the connection, and headers that the server sets itself. */
const RESERVED_HEADER =
  /^(host|connection|content-.*|transfer-encoding|expect|upgrade|te|trailer|keep-alive|proxy-.*|webhook-.*|x-event-.*)$/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,100}$/;
/** Visible ASCII and blanks only, because a line break would start another header. */
const HEADER_VALUE = /^[\x20-\x7e]{0,1000}$/;

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
function refusePrivate(post: Post, { url: given }: z.output<typeof updateBody>): void {
  if (given === undefined || !post.refuses(given)) return;
  const fields = { url: ["must not lead to a private or internal address"] };
  throw new Failure("invalid", "The webhook leads to a private address", fields);
}

/** Converts a body to the domain's names. */
function inputOf({
  active: is_active,
  timeout: timeout_seconds,
  ...others
}: z.output<typeof updateBody>): WebhookInput {
  return { ...others, is_active, timeout_seconds };
}

/** A webhook with its newest secret. */
function withSecretJson(webhook: Webhook): z.output<typeof webhookWithSecretAnswer> {
  return { ...webhookJson(webhook), secret_key: webhook.secrets[0]?.text ?? "" };
}
