import { Failure } from "../../failure.ts";
import type { Context } from "../context.ts";
import { EVENT_TYPES } from "../event/event-type.ts";
import type { Entity, EventMessage } from "../event/record.ts";
import { causeOf, isV1EventType } from "../event/v1-event-type.ts";
import { enqueue, newDelivery } from "./delivery.ts";
import type { Delivery } from "./record.ts";
import { loadWebhook } from "./webhooks.ts";

/**
 * Puts a test event for a webhook into the outbox. It is signed, sent and retried like any other, in a lane of its own,
 * so it holds up no event.
 *
 * @throws Failure `not_found`, `invalid` for an event type of the other format, `refused` if the webhook is off
 * @see docs/spec/events.md "Test"
 */
export async function sendTestEvent(
  { store, now, chance }: Context,
  accountId: number,
  { webhookId, type: wanted }: { webhookId: number; type: string | null },
): Promise<Delivery> {
  const { format, eventTypes } = await loadWebhook(store, accountId, webhookId);
  const type = wanted ?? eventTypes[0] ?? "";
  if (!(format === "v1" ? isV1EventType(type) : EVENT_TYPES.includes(type))) {
    const fields = { event_type: [`must be an event type of the format ${format}`] };
    throw new Failure("invalid", `Validation failed: event_type ${fields.event_type[0]}`, fields);
  }
  const id = await store.nextId("delivery");
  const eventId = format === "v1" ? String(await store.nextId("v1-event")) : chance.uuid();
  const delivery = newDelivery({
    id,
    ownerId: accountId,
    webhookId,
    lane: `test/${id}`,
    message: testMessage(eventId, type, now),
    createdAt: now.toISOString(),
  });
  return store.transact(async (tx) => {
    const webhook = await loadWebhook(tx, accountId, webhookId);
    if (!webhook.isActive) throw new Failure("refused", "The webhook is switched off; make it active first");
    return enqueue(tx, delivery, now);
  });
}

/** An event of this type about no record. `data` says that it is a test. */
export function testMessage(eventId: string, type: string, now: Date): EventMessage {
  const [entity, name = ""] = causeOf(type).split(/\.(.*)/);
  return {
    format: isV1EventType(type) ? "v1" : "v2",
    eventId,
    type,
    action: name === "created" || name === "deleted" ? name : "updated",
    entity: entity as Entity,
    entityId: 0,
    changes: {},
    data: { test: true },
    at: now.toISOString(),
  };
}
