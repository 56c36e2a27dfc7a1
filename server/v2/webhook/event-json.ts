import { z } from "zod";
import { ENTITIES, type EventMessage } from "../../domain/event/event-type.ts";

/** The body that is posted to webhooks. @see docs/spec/events.md */
export const eventBody = z
  .object({
    event_id: z.uuid(),
    event_type: z.string(),
    action: z.enum(["created", "updated", "deleted"]),
    entity_type: z.enum(ENTITIES),
    entity_id: z.int(),
    changes: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
    data: z.record(z.string(), z.unknown()),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: "Event" });

/** The body of an event in V1's form. @see docs/spec/events.md "V1's form" */
export const v1EventBody = z
  .object({
    event: z.object({ id: z.int(), type: z.string(), created_at: z.iso.datetime() }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "V1Event" });

/** The body that is posted. V2 manages the webhooks of both forms and lists their deliveries, so both are here. */
export function postedJson(message: EventMessage): z.output<typeof eventBody> | z.output<typeof v1EventBody> {
  return message.format === "v1" ? v1EventJson(message) : eventJson(message);
}

function eventJson(message: EventMessage): z.output<typeof eventBody> {
  return {
    event_id: message.eventId,
    event_type: message.type,
    action: message.action,
    entity_type: message.entity,
    entity_id: message.entityId,
    changes: message.changes,
    data: message.data,
    timestamp: message.at,
  };
}

function v1EventJson({ eventId, type, at, data }: EventMessage): z.output<typeof v1EventBody> {
  return { event: { id: Number(eventId), type, created_at: at }, data };
}
