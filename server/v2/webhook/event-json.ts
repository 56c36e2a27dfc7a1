import { z } from "zod";
import { ENTITIES, type EventMessage } from "../../domain/events/event-type.ts";
import { createdAt, field, recordId } from "../../http/fields.ts";

/** The body that is posted to webhooks. @see docs/spec/events.md */
export const eventBody = z
  .object({
    event_id: field(z.uuid(), "Id of the event.", "00000000-0000-4000-8000-000000000001"),
    event_type: field(z.string(), "What happened.", "referral.created"),
    action: field(
      z.enum(["created", "updated", "deleted"]),
      "Whether the record was created, updated or deleted.",
      "created",
    ),
    entity_type: field(z.enum(ENTITIES), "What kind of record it happened to."),
    entity_id: field(z.int(), "Id of the record.", 204),
    changes: field(
      z.record(z.string(), z.tuple([z.unknown(), z.unknown()])),
      "Fields that changed: the value before and after. Empty unless updated.",
      {},
    ),
    data: field(z.record(z.string(), z.unknown()), "The record, as V2 shows it.", {
      id: 204,
      email: "sam@example.net",
    }),
    timestamp: field(z.iso.datetime(), "When it happened."),
  })
  .meta({ id: "Event" });

/** The body of an event in V1's form. @see docs/spec/events.md "V1's form" */
export const v1EventBody = z
  .object({
    event: field(
      z.object({
        id: recordId,
        type: field(z.string(), "What happened.", "lead_signup"),
        created_at: createdAt,
      }),
      "Its numeric id, its type and when it happened.",
    ),
    data: field(z.record(z.string(), z.unknown()), "The record, as V1 shows it.", {
      id: 204,
      email: "sam@example.net",
    }),
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
