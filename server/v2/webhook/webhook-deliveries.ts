import { z } from "zod";
import {
  DELIVERY_STATUSES,
  deliveries,
  loadDelivery,
  retryDelivery,
  sendTestEvent,
  testMessage,
  type Delivery,
} from "../../domain/events/webhook/delivery.ts";
import { SYSTEM } from "../../domain/context.ts";
import { having, listed } from "../../resource/list.ts";
import { readPathId, readListing } from "../../resource/listing.ts";
import { ENTITIES, isV1EventType } from "../../domain/events/event-type.ts";
import { eventBody, postedJson, v1EventBody } from "./event-data.ts";
import { recordError, type V2Operation, type V2Request } from "../operation.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { WEBHOOK_PAGES, eventType, testBody, webhookWithSecretAnswer } from "./webhooks.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";
import { loadWebhook, newSecret, validSecrets, type Webhook } from "../../domain/events/webhook/webhook.ts";
import { Failure } from "../../failure.ts";
import { readJson } from "../../http/parameters/json.ts";
import { shapeInput } from "../../input/shape.ts";
import { webhookPosting } from "../../outgoing/post.ts";

/** @see docs/spec/events.md "Delivery record" */
const deliveryAnswer = z
  .object({
    id: recordId,
    event_id: field(z.string(), "Id of the event.", "00000000-0000-4000-8000-000000000001"),
    event_type: field(z.string(), "What happened.", "referral.created"),
    action: field(z.string(), "Whether the record was created, updated or deleted.", "created"),
    entity_type: field(z.enum(ENTITIES), "What kind of record it happened to."),
    entity_id: field(z.int(), "Id of the record.", 204),
    status: field(z.enum(DELIVERY_STATUSES).exclude(["held"]), "State of the record."),
    attempts: field(z.int(), "How many attempts were made.", 1),
    last_error: field(z.string().nullable(), "The last error, or null if there was none.", null),
    response_code: field(
      z.int().nullable(),
      "Status that your server answered with, or null if it did not answer.",
      200,
    ),
    response_body: field(
      z.string().nullable(),
      "Beginning of your server's answer, or null if it did not answer.",
      "ok",
    ),
    object_changes: field(
      eventBody.shape.changes,
      "Fields that changed: the value before and after. Empty unless updated.",
      {},
    ),
    payload: field(z.union([eventBody, v1EventBody]), "The event as it is posted."),
    created_at: createdAt,
    delivered_at: field(
      z.iso.datetime().nullable(),
      "When your server accepted the event, or null if it has not.",
    ),
  })
  .meta({ id: "WebhookDelivery" });

const deliveryList = listed(deliveries, { newestBy: "created_at", lengths: WEBHOOK_PAGES })();

export const listDeliveriesOperation: V2Operation = {
  id: "listWebhookDeliveries",
  summary: "List the deliveries of a webhook, newest first",
  description: "Lists the deliveries to a webhook, newest first, with your server's answers.",
  params: deliveryList.params,
  answer: z.array(deliveryAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  handle: list,
};

export const getDeliveryOperation: V2Operation = {
  id: "getWebhookDelivery",
  summary: "Get a delivery",
  description: "Finds one delivery.",
  answer: deliveryAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) =>
    deliveryJson(await loadDelivery(context.store, account.id, pathIds(event))),
};

export const retryDeliveryOperation: V2Operation = {
  id: "retryWebhookDelivery",
  summary: "Send a delivery again now",
  description: "Sends a delivery again now.",
  answer: deliveryAnswer,
  refusals: ["not_found", "invalid", "refused"],
  handle: async ({ event, account, context }) => {
    const ids = pathIds(event);
    return deliveryJson(await context.store.transact((tx) => retryDelivery(tx, context, account.id, ids)));
  },
};

async function list(request: V2Request) {
  const { event, account, context } = request;
  const { page, window } = readListing(request, deliveryList.params, WEBHOOK_PAGES);
  const { id } = await loadWebhook(context.store, account.id, readPathId(event, "webhook_id"));
  const where = having(deliveries, { webhook_id: id });
  const { records, total } = await deliveryList.find(context.store, SYSTEM, { where, ...window });
  setPageHeaders(request, page, total);
  return records.map(deliveryJson);
}

function pathIds(event: V2Request["event"]): { webhook_id: number; id: number } {
  return { webhook_id: readPathId(event, "webhook_id"), id: readPathId(event) };
}

/** A delivery with the body that was posted or will be. */
function deliveryJson(delivery: Delivery): z.output<typeof deliveryAnswer> {
  const { message, status } = delivery;
  if (message === null || status === "held") throw new Error(`Delivery ${delivery.id} is an e-mail`);
  return {
    id: delivery.id,
    event_id: message.event_id,
    event_type: message.type,
    action: message.action,
    entity_type: message.entity,
    entity_id: message.entity_id,
    status,
    attempts: delivery.attempts,
    last_error: delivery.last_error,
    response_code: delivery.response_code,
    response_body: delivery.response_body,
    object_changes: message.changes,
    payload: postedJson(message),
    created_at: delivery.created_at,
    delivered_at: delivery.delivered_at,
  };
}

/** Shorter than for deliveries, because a person waits for the answer. */
const TIMEOUT_SECONDS = 10;

/**
 * `POST /api/v2/company/webhooks/test`. It signs with the secrets of `webhook_id`. Without that, it makes a secret for
 * this one test and shows it as `secret_key`.
 *
 * @see docs/spec/v2.md "Operations beyond these"
 */
export const testWebhookOperation: V2Operation = {
  id: "testWebhook",
  summary: "Post a test event to an address",
  description:
    "Posts a test event to an address and shows its answer. The status is 200 even if the address refused.",
  body: testBody,
  answer: z
    .object({
      delivered: field(z.boolean(), "Whether your server has accepted the event."),
      response_code: field(z.int().nullable(), deliveryAnswer.shape.response_code),
      response_body: field(z.string().nullable(), deliveryAnswer.shape.response_body),
      error: field(z.string().nullable(), "Why the event was not delivered, or null if it was.", null),
      secret_key: field(z.string().nullable(), webhookWithSecretAnswer.shape.secret_key),
    })
    .meta({ id: "WebhookTest" }),
  refusals: ["not_found", "invalid", "rule_broken"],
  shape: recordError({}),
  handle: test,
};

const sendBody = z.object({ event_type: field(eventType.optional(), "What happened.", "referral.created") });

export const sendTestOperation: V2Operation = {
  id: "sendTestEvent",
  summary: "Send a test event to a webhook, like any other event",
  description:
    "Sends a test event to a webhook: signed, delivered and retried like any other, with `data: {test: true}`. Its type is the first that the webhook wants, unless you name another.",
  example: { event_type: "referral.created" },
  body: sendBody,
  answer: deliveryAnswer,
  status: 201,
  refusals: ["not_found", "invalid", "refused"],
  async handle({ event, account, context }) {
    const { event_type: type = null } = shapeInput(sendBody, await readJson(event));
    const wanted = { webhook_id: readPathId(event), type };
    return deliveryJson(await context.store.transact((tx) => sendTestEvent(tx, context, account.id, wanted)));
  },
};

async function test({ event, account, context, post }: V2Request) {
  const body = shapeInput(testBody, await readJson(event));
  const { store, now, chance } = context;
  const { webhook_id: id, event_type: type } = body;
  const webhook = id === undefined ? null : await loadWebhook(store, account.id, id);
  const ownSecret = newSecret(chance);
  const secrets = webhook === null ? [ownSecret] : validSecrets(webhook, now);
  const eventId = isV1EventType(type) ? "0" : chance.uuid();
  const receipt = await post(
    webhookPosting(
      { ...targetOf(body, webhook), timeout_seconds: TIMEOUT_SECONDS, secrets },
      { event_id: eventId, type, body: JSON.stringify(postedJson(testMessage(eventId, type, now))), now },
    ),
  );
  if (receipt.isRefused) {
    throw new Failure("rule_broken", "The record breaks a rule", { url: [receipt.error ?? "is invalid"] });
  }
  return {
    delivered: receipt.error === null,
    response_code: receipt.status,
    response_body: receipt.body,
    error: receipt.error,
    secret_key: webhook === null ? ownSecret : null,
  };
}

/**
 * A webhook's headers and password are sent only to its own address, so that a test can't reveal them.
 */
function targetOf(body: z.output<typeof testBody>, webhook: Webhook | null) {
  if (body.url === undefined && webhook !== null) return webhook;
  return {
    url: body.url ?? "",
    headers: body.headers ?? {},
    basic_auth_user: body.basic_auth_user ?? null,
    basic_auth_password: body.basic_auth_password ?? "",
  };
}
