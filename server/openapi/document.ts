import {
  type DescribedEvents,
  type DescribedRoute,
  HEADERS,
  describeOperation,
  shareParameters,
} from "./operation.ts";
import { newSchemas, type Schemas, contentsOf, shareSchemas } from "./schemas.ts";

/** The OpenAPI 3.1 document of the routes and events. @see https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(
  routes: DescribedRoute[],
  { public_url, events }: { public_url: string; events: DescribedEvents },
) {
  const schemas = newSchemas();
  const paths: Record<string, Record<string, ReturnType<typeof describeOperation>>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describeOperation(
      route,
      routes.find(({ operation }) => operation === route.operation) ?? route,
      schemas,
    );
  }
  const parameters = shareParameters(Object.values(paths).flatMap((methods) => Object.values(methods)));
  const webhooks = eventPostings(events, schemas);
  shareSchemas(schemas.components, contentsOf({ paths, webhooks, responses: schemas.responses }));
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidemark",
      version: "1",
      summary: "The affiliate-program server that a company hosts itself",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: public_url }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      schemas: schemas.components,
      responses: schemas.responses,
      parameters: { ...parameters, ...POSTING_HEADERS },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

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
const POSTING_HEADERS = {
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
function eventPostings(events: DescribedEvents, schemas: Schemas): Record<string, unknown> {
  return Object.fromEntries(events.types.map((type) => [type, { post: posting(type, events, schemas) }]));
}

function posting(type: string, { bodyOf, meaningOf }: DescribedEvents, schemas: Schemas) {
  const schema = schemas.describe(bodyOf(type), "output");
  return {
    summary: `The event ${type}`,
    description: meaningOf(type),
    operationId: `event_${type.replace(/[^a-z0-9]+/g, "_")}`,
    // It is signed, and has no key.
    security: [],
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

/** What a developer should know before the first request. */
export const INTRODUCTION = `Tidemark runs an affiliate program: **promoters** recommend your product with a link of their own, visitors who follow it become **leads** when they sign up, and promoters earn **commissions** that are paid out as **payouts**. A promoter takes part in one or more **campaigns**; for each of them there is a **promoter campaign** (V1 says *promotion*).

There are two generations. Use **V2** for new integrations: JSON bodies, a bearer token and the header \`Account-ID\`. **V1** takes parameters in the query or a form, and the header \`X-API-KEY\`. The key is the same for both.

- **Money** is in cents (the smallest unit of the account's currency), as whole numbers. The amount of a reward is in units of the currency, or a percentage. Reports write money as text (\`$2,500.00\`).
- **Dates** are ISO 8601. Answers are in UTC with milliseconds. A date without a time means its whole day (UTC).
- **Lists** come in pages: \`page\` and \`per_page\`, with the headers \`Total\`, \`Per-Page\` and \`Link\`.
- **Lists in queries** may be written \`ids=1&ids=2\`, \`ids[]=1&ids[]=2\` or \`ids[0]=1&ids[1]=2\`.
- **Numbers and booleans as text** (\`"12"\`, \`"true"\`, \`"1"\`, \`"yes"\`) are accepted too.
- **Blank text** counts as not given when a record is created, and clears the field when it is changed.
- **Unknown fields** of a body are ignored; V2 names them in the header \`X-Ignored-Fields\`. Unknown filters of V2 are refused with 422.
- **Errors** of V2 are \`{"message", "code"}\`, with \`errors\` by field if fields are faulty. Look at the status first.

The dashboard calls V2 with the cookie of a **session** instead of a key: \`POST /api/v2/company/session\` signs in. Users with the role \`viewer\` may read (secrets are null for them), a \`manager\` may change as well, and an \`owner\` may also pay and manage users, keys and the account. Requests that change something need an \`Origin\` of this server.`;

export const TAGS = [
  { name: "V1", description: "The first generation: parameters in the query or a form, header X-API-KEY." },
  {
    name: "V2",
    description: "The current generation: JSON bodies, a bearer token and the header Account-ID.",
  },
  { name: "Browser", description: "What the script on your pages calls, without a key." },
  { name: "Operation", description: "For the operator of the server and their monitoring." },
];

const SECURITY_SCHEMES = {
  apiKey: { type: "apiKey", in: "header", name: "X-API-KEY", description: "An API key of the account." },
  bearer: { type: "http", scheme: "bearer", description: "An API key of the account." },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "tidemark_admin",
    description: "The session of a user, which `POST /api/v2/company/session` opens.",
  },
  portalToken: {
    type: "http",
    scheme: "bearer",
    description: "An access token of a promoter, which `POST /api/v2/promoters/iframe_login` gives.",
  },
  portalSession: {
    type: "apiKey",
    in: "cookie",
    name: "tidemark_portal",
    description: "The session of a promoter, which `POST /api/v2/affiliate/session` opens.",
  },
  accountId: {
    type: "apiKey",
    in: "header",
    name: "Account-ID",
    description: "The public id of the account that the key belongs to.",
  },
};
