import { z } from "zod";
import { ENTITIES, type EventMessage } from "../../domain/event/record.ts";

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

/** The body of an event. */
export function eventJson(message: EventMessage): z.output<typeof eventBody> {
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
