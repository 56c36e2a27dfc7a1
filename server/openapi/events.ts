import type { DescribedEvents } from "./described-route.ts";
import { schemaOf, type JsonSchema } from "./schemas.ts";

/** What each posting carries beside its body. */
const HEADERS = {
  "webhook-id": "The event's id, by which a receiver drops what comes twice",
  "webhook-timestamp": "When it was signed, in seconds",
  "webhook-signature": "`v1,` and the signature, for each secret; see standardwebhooks.com",
  "X-Event-Id": "The event's id",
  "X-Event-Type": "The event's type",
};

/** The `webhooks` of an OpenAPI document: one posting for each type of event. @see OpenAPI 3.1, "OpenAPI Object" */
export function eventPostings({ types, bodyOf }: DescribedEvents): Record<string, unknown> {
  return Object.fromEntries(
    types.map((type) => [type, { post: posting(type, schemaOf(bodyOf(type), "output")) }]),
  );
}

function posting(type: string, schema: JsonSchema) {
  return {
    summary: `The event ${type}`,
    operationId: `event_${type.replace(/[^a-z0-9]+/g, "_")}`,
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: "header",
      description,
      required: true,
      schema: { type: "string" },
    })),
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "The event was received; anything else makes it come again" },
    },
  };
}
