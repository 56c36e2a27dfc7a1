import { z } from "zod";
import {
  DELIVERY_STATUSES,
  findDeliveries,
  loadDelivery,
  retryDelivery,
  type Delivery,
} from "../../domain/webhook/delivery.ts";
import { readPathId } from "../path-id.ts";
import { ENTITIES } from "../../domain/event/event-type.ts";
import { eventBody, postedJson, v1EventBody } from "./event-json.ts";
import type { V2Operation, V2Request } from "../operation.ts";
import { setPageHeaders } from "../../http/pages.ts";
import { readListing } from "../page-params.ts";
import { WEBHOOK_PAGES, webhookPageParams } from "./webhooks.ts";

/** @see docs/spec/events.md "Delivery record" */
export const deliveryAnswer = z
  .object({
    id: z.int(),
    event_id: z.string(),
    event_type: z.string(),
    action: z.string(),
    entity_type: z.enum(ENTITIES),
    entity_id: z.int(),
    status: z.enum(DELIVERY_STATUSES).exclude(["held"]),
    attempts: z.int(),
    last_error: z.string().nullable(),
    response_code: z.int().nullable(),
    response_body: z.string().nullable(),
    object_changes: eventBody.shape.changes,
    payload: z.union([eventBody, v1EventBody]),
    created_at: z.iso.datetime(),
    delivered_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "WebhookDelivery" });

/** `GET /api/v2/company/webhooks/{webhook_id}/webhook_deliveries` */
export const listDeliveriesOperation: V2Operation = {
  summary: "List the deliveries of a webhook, newest first",
  params: webhookPageParams,
  answer: z.array(deliveryAnswer),
  isPaged: true,
  refusals: ["not_found", "invalid"],
  handle: list,
};

/** `GET /api/v2/company/webhooks/{webhook_id}/webhook_deliveries/{id}` */
export const getDeliveryOperation: V2Operation = {
  summary: "Get a delivery",
  answer: deliveryAnswer,
  refusals: ["not_found", "invalid"],
  handle: async ({ event, account, context }) =>
    deliveryJson(await loadDelivery(context.store, account.id, pathIds(event))),
};

/** `POST /api/v2/company/webhooks/{webhook_id}/webhook_deliveries/{id}/retry_delivery` */
export const retryDeliveryOperation: V2Operation = {
  summary: "Send a delivery again now",
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

/** A delivery with the body that was or will be posted. */
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
