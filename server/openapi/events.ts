import type { DescribedEvents } from "./described-route.ts";
import type { Schemas } from "./schemas.ts";

const EVENT_ID = "00000000-0000-4000-8000-000000000001";
const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  description,
  required: true,
  example,
  schema: { type: "string" },
});

/** The headers of each posting. */
export const POSTING_HEADERS = {
  WebhookId: header(
    "webhook-id",
    "The event's id. Ignore an event whose id you have already received.",
    EVENT_ID,
  ),
  WebhookTimestamp: header("webhook-timestamp", "When it was signed, in seconds since 1970.", "1772357400"),
  WebhookSignature: header(
    "webhook-signature",
    "`v1,` and the signature, once for each secret that is valid. See standardwebhooks.com.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
  EventId: header("X-Event-Id", "The event's id, repeated.", EVENT_ID),
  EventType: header("X-Event-Type", "The event's type.", "referral.created"),
};

/** The `webhooks` of an OpenAPI document: one posting for each type of event. @see OpenAPI 3.1, "OpenAPI Object" */
export function eventPostings(events: DescribedEvents, schemas: Schemas): Record<string, unknown> {
  return Object.fromEntries(events.types.map((type) => [type, { post: posting(type, events, schemas) }]));
}

function posting(type: string, { bodyOf, meaningOf }: DescribedEvents, schemas: Schemas) {
  const schema = schemas.describe(bodyOf(type), "output");
  return {
    summary: `The event ${type}`,
    description: meaningOf(type),
    operationId: `event_${type.replace(/[^a-z0-9]+/g, "_")}`,
    parameters: Object.keys(POSTING_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { "application/json": { schema } },
    },
    responses: {
      "2XX": {
        description: "You have received the event. After any other answer, the server sends it again.",
      },
    },
  };
}
