import { describedEvents, describedRoutes } from "../../server/app.ts";
import { openApiDocument } from "../../server/openapi/document.ts";

export type JsonSchema = Record<string, unknown>;

/** The parts of a document that tests read. */
export interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, { post: OpenApiOperation }>;
  components: Record<"schemas" | "headers" | "responses" | "parameters", Record<string, JsonSchema>>;
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters: OpenApiParameter[];
  requestBody?: { content: Record<string, OpenApiContent> };
  responses: Record<string, OpenApiResponse>;
}

export interface OpenApiParameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  example?: unknown;
  schema: JsonSchema;
}

export interface OpenApiContent {
  schema: JsonSchema;
  /** Absent: it is composed of the examples of the fields. */
  examples?: { usual: { value?: unknown } };
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, JsonSchema>;
  content?: Record<string, OpenApiContent>;
}

/** The document of all routes. */
export function newDocument(): OpenApi {
  const document = openApiDocument(describedRoutes(), { public_url: "http://x", events: describedEvents() });
  return JSON.parse(JSON.stringify(document)) as OpenApi;
}

/** A copy in which each reference is replaced by its target. */
export function resolved<T>(value: T, root: unknown = value): T {
  if (Array.isArray(value)) return value.map((item) => resolved(item, root)) as T;
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...own } = value as { $ref?: string };
  const target = $ref === undefined ? {} : resolved(at(root, $ref), root);
  const entries = Object.entries(own).map(([name, inner]) => [name, resolved(inner, root)]);
  return { ...target, ...Object.fromEntries(entries) } as T;
}

function at(root: unknown, pointer: string): object {
  return pointer
    .split("/")
    .slice(1)
    .reduce((value, name) => (value as Record<string, unknown>)[name], root) as object;
}
