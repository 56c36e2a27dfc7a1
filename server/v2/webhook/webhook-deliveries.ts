import { z } from "zod";
import {
  DELIVERY_STATUSES,
  findDeliveries,
  loadDelivery,
  retryDelivery,
  type Delivery,
} from "../../domain/events/webhook/delivery.ts";
import { readPathId } from "../path-id.ts";
import { ENTITIES } from "../../domain/events/event-type.ts";
import { eventBody, postedJson, v1EventBody } from "./event-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readListing } from "../page-params.ts";
import { WEBHOOK_PAGES, webhookPageParams } from "./webhooks.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

/** @see docs/spec/events.md "Delivery record" */
export const deliveryAnswer = z
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

/** `GET /api/v2/company/webhooks/{webhook_id}/webhook_deliveries` */
export const listDeliveriesOperation: V2Operation = {
  id: "listWebhookDeliveries",
  summary: "List the deliveries of a webhook, newest first",
  description: "Lists the deliveries to a webhook, newest first, with your server's answers.",
  params: webhookPageParams,
  answer: z.array(deliveryAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  handle: list,
};

/** `GET /api/v2/company/webhooks/{webhook_id}/webhook_deliveries/{id}` */
export const getDeliveryOperation: V2Operation = {
  id: "getWebhookDelivery",
  summary: "Get a delivery",
  description: "Finds one delivery.",
  answer: deliveryAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) =>
    deliveryJson(await loadDelivery(context.store, account.id, pathIds(event))),
};

/** `POST /api/v2/company/webhooks/{webhook_id}/webhook_deliveries/{id}/retry_delivery` */
export const retryDeliveryOperation: V2Operation = {
  id: "retryWebhookDelivery",
  summary: "Send a delivery again now",
  description: "Sends a delivery again now.",
  answer: deliveryAnswer,
  refusals: ["not_found", "invalid", "refused"],
  handle: async ({ event, account, context }) =>
    deliveryJson(await retryDelivery(context, account.id, pathIds(event))),
};

async function list(request: V2Request) {
  const { event, account, context } = request;
  const { page, window } = readListing(request, webhookPageParams, WEBHOOK_PAGES);
  const webhookId = readPathId(event, "webhook_id");
  const { records, total } = await findDeliveries(context.store, account.id, { webhookId, ...window });
  setPageHeaders(request, page, total);
  return records.map(deliveryJson);
}

function pathIds(event: V2Request["event"]): { webhookId: number; id: number } {
  return { webhookId: readPathId(event, "webhook_id"), id: readPathId(event) };
}

/** A delivery with the body that was posted or will be. */
export function deliveryJson(delivery: Delivery): z.output<typeof deliveryAnswer> {
  const { message, status } = delivery;
  if (message === null || status === "held") throw new Error(`Delivery ${delivery.id} is an e-mail`);
  return {
    id: delivery.id,
    event_id: message.eventId,
    event_type: message.type,
    action: message.action,
    entity_type: message.entity,
    entity_id: message.entityId,
    status,
    attempts: delivery.attempts,
    last_error: delivery.lastError,
    response_code: delivery.responseCode,
    response_body: delivery.responseBody,
    object_changes: message.changes,
    payload: postedJson(message),
    created_at: delivery.createdAt,
    delivered_at: delivery.deliveredAt,
  };
}
