import type { FailureKind } from "../failure.ts";
import type { DescribedRoute } from "./described-route.ts";
import { errorResponses } from "./errors.ts";
import { parametersOf, propertiesOf, schemaOf, type JsonSchema } from "./schemas.ts";

/** What every operation may be refused with. */
const COMMON: FailureKind[] = ["unauthorized", "malformed", "too_large", "rate_limited", "unavailable"];
const COMMON_PUBLIC: FailureKind[] = ["not_found", "invalid", "malformed", "too_large", "unavailable"];
const COMMON_V2: FailureKind[] = [...COMMON, "forbidden"];

const RATE_LIMIT_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
const TAGS = { v1: "V1", v2: "V2", browser: "Browser", operator: "Operation" } as const;
const SECURITY = {
  v1: [{ apiKey: [] }],
  v2: [{ bearer: [], accountId: [] }],
  browser: [],
  operator: [],
};
const PAGE_HEADERS = ["Total", "Per-Page", "Link"];

/** The OpenAPI 3.1 document of the routes. @see https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(routes: DescribedRoute[], { publicUrl }: { publicUrl: string }) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    (paths[path] ??= {})[route.method.toLowerCase()] = describe(route);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Tidemark",
      version: "1",
      summary: "The affiliate-program server that a company hosts itself",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl }],
    tags: [
      { name: "V1", description: "Key-value parameters, X-API-KEY" },
      { name: "V2", description: "JSON bodies, bearer token and Account-ID" },
      { name: "Browser", description: "What marketing pages call, without a key" },
      { name: "Operation", description: "What operators and their monitors call" },
    ],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-KEY" },
        bearer: { type: "http", scheme: "bearer" },
        accountId: { type: "apiKey", in: "header", name: "Account-ID" },
      },
      headers: headerComponents(),
    },
  };
}

function describe(route: DescribedRoute) {
  const { operation, caller, method, path } = route;
  const { params, body, refusals = [] } = operation;
  const isForm = caller !== "v2" && method !== "GET" && method !== "DELETE";
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => pathParameter(name ?? ""));
  const form =
    isForm && params ? { "application/x-www-form-urlencoded": { schema: schemaOf(params, "input") } } : null;
  const json = body ? { "application/json": { schema: schemaOf(body, "input") } } : null;
  return {
    operationId: `${method} ${path}`.toLowerCase().replace(/[^a-z0-9]+/g, "_"),
    summary: operation.summary,
    tags: [TAGS[caller]],
    security: SECURITY[caller],
    parameters: [...inPath, ...(isForm || !params ? [] : parametersOf(propertiesOf(params)))],
    ...((form ?? json) && { requestBody: { content: form ?? json } }),
    responses: {
      [String(operation.status ?? 200)]: success(route),
      ...errorResponses(route, new Set([...common(route), ...refusals])),
    },
  };
}

function common({ caller, method }: DescribedRoute): FailureKind[] {
  if (caller === "operator") return [];
  const writing: FailureKind[] = method === "GET" ? [] : ["conflict", "unsupported"];
  if (caller === "browser") return [...COMMON_PUBLIC, ...writing];
  return [...(caller === "v1" ? COMMON : COMMON_V2), ...writing];
}

function success({ operation, caller }: DescribedRoute) {
  const names = [
    ...(caller === "v1" || caller === "v2" ? RATE_LIMIT_HEADERS : []),
    ...(operation.isPaged ? PAGE_HEADERS : []),
  ];
  return {
    description: "Done",
    headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { "application/json": { schema: schemaOf(operation.answer, "output") } },
  };
}

function pathParameter(name: string) {
  return { name, in: "path", required: true, schema: { type: "string" } satisfies JsonSchema };
}

function headerComponents() {
  const count = (description: string) => ({ description, schema: { type: "integer", minimum: 0 } });
  return {
    "RateLimit-Limit": count("Requests a minute; absent where there is no limit"),
    "RateLimit-Remaining": count("Requests left in this minute"),
    "RateLimit-Reset": count("Seconds until the next minute"),
    Total: count("Records on all pages"),
    "Per-Page": count("Records on a page"),
    Link: { description: "The pages around this one (RFC 8288)", schema: { type: "string" } },
  };
}
