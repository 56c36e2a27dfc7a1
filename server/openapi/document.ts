import type { FailureKind } from "../failure.ts";
import type { Generation } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { errorResponses } from "./errors.ts";
import { parametersOf, propertiesOf, schemaOf, type JsonSchema } from "./schemas.ts";

/** A route that the document describes. */
export interface DescribedRoute {
  method: string;
  /** As h3 writes it: `/promoters/:id`. */
  path: string;
  operation: Omit<Operation<never>, "handle" | "shape">;
  /** null: called by browsers, without a key. */
  generation: Generation | null;
}

/** What every operation may be refused with. */
const COMMON: FailureKind[] = ["unauthorized", "malformed", "too_large", "rate_limited"];
const COMMON_PUBLIC: FailureKind[] = ["not_found", "invalid", "malformed", "too_large"];

const RATE_LIMIT_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
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
  const { operation, generation, method, path } = route;
  const { params, body, refusals = [] } = operation;
  const isForm = generation !== "v2" && method !== "GET" && method !== "DELETE";
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => pathParameter(name ?? ""));
  const form =
    isForm && params ? { "application/x-www-form-urlencoded": { schema: schemaOf(params, "input") } } : null;
  const json = body ? { "application/json": { schema: schemaOf(body, "input") } } : null;
  return {
    operationId: `${method} ${path}`.toLowerCase().replace(/[^a-z0-9]+/g, "_"),
    summary: operation.summary,
    tags: [generation === null ? "Browser" : generation.toUpperCase()],
    security: security(generation),
    parameters: [...inPath, ...(isForm || !params ? [] : parametersOf(propertiesOf(params)))],
    ...((form ?? json) && { requestBody: { content: form ?? json } }),
    responses: {
      [String(operation.status ?? 200)]: success(route),
      ...errorResponses(generation, new Set([...(generation ? COMMON : COMMON_PUBLIC), ...refusals])),
    },
  };
}

function security(generation: Generation | null): Record<string, never[]>[] {
  if (generation === null) return [];
  return generation === "v1" ? [{ apiKey: [] }] : [{ bearer: [], accountId: [] }];
}

function success({ operation, generation }: DescribedRoute) {
  const names = [...(generation ? RATE_LIMIT_HEADERS : []), ...(operation.isPaged ? PAGE_HEADERS : [])];
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
