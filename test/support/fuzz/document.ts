import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { resolved } from "../openapi.ts";
import type { Schema } from "./plausible.ts";

interface Content {
  content: Record<string, { schema: Schema; examples?: { usual: { value: string } } }>;
}

/** An operation as the document describes it. */
export interface DescribedOperation {
  method: string;
  /** `/promoters/{id}` */
  path: string;
  tag: "V1" | "V2" | "Browser" | "Operation";
  /** Whether only people who have signed in may call it. */
  needsSession: boolean;
  /** Parameters of the query. */
  query: Schema;
  form: Schema | null;
  json: Schema | null;
  /** The example of a file that is the body. */
  file: string | null;
  responses: Record<string, Partial<Content>>;
}

interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  schema: Schema;
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        tags: [DescribedOperation["tag"]];
        security: Record<string, unknown>[];
        parameters: Parameter[];
        requestBody?: Content;
        responses: DescribedOperation["responses"];
      }
    >
  >;
}

const addFormats = ajvFormats as unknown as (ajv: Ajv2020) => Ajv2020;

/** A key that is removed can't make the other calls. */
export const LOCKS_OUT = /api_keys\/\{id\}/;

/** The operations of an OpenAPI document. */
export function operationsOf(document: unknown): DescribedOperation[] {
  return Object.entries(resolved(document as OpenApi).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { tags, security, parameters, requestBody, responses }]) => {
      const inQuery = parameters.filter((parameter) => parameter.in === "query");
      return {
        method: method.toUpperCase(),
        path,
        tag: tags[0],
        needsSession: security.length > 0 && !security.some((each) => "bearer" in each || "apiKey" in each),
        query: querySchema(inQuery),
        form: requestBody?.content["application/x-www-form-urlencoded"]?.schema ?? null,
        json: requestBody?.content["application/json"]?.schema ?? null,
        file: requestBody?.content["text/csv"]?.examples?.usual.value ?? null,
        responses,
      };
    }),
  );
}

/** Parameters as one schema: `filters[status]` is the field `status` of the object `filters`. */
function querySchema(parameters: Parameter[]): Schema {
  const query: Schema = { type: "object", properties: {}, required: [] };
  for (const { name, required, schema } of parameters) {
    const path = name.match(/[^[\]]+/g) ?? [];
    let object = query;
    for (const [depth, part] of path.entries()) {
      if (required) object.required?.push(part);
      const properties = (object.properties ??= {});
      const isLast = depth === path.length - 1;
      object = properties[part] ??= isLast ? schema : { type: "object", properties: {}, required: [] };
    }
  }
  return query;
}

/** The operation that a request went to. null: the document has none. */
export function findOperation(
  operations: DescribedOperation[],
  method: string,
  target: string,
): DescribedOperation | null {
  if (!URL.canParse(target, "http://x")) return null;
  const { pathname } = new URL(target, "http://x");
  // Repeated slashes count as one.
  const plain = pathname.replaceAll(/\/{2,}/g, "/");
  const path = plain.replace(/^(\/api\/v1\/.*)\.json$/, "$1").replace(/(.)\/$/, "$1");
  const isAsked = (operation: DescribedOperation) =>
    operation.method === (method === "HEAD" ? "GET" : method);
  const exact = operations.filter((operation) => operation.path === path);
  // A fixed path beats a path with an id.
  if (exact.length > 0) return exact.find(isAsked) ?? null;
  return operations.find((operation) => isAsked(operation) && patternOf(operation.path).test(path)) ?? null;
}

const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  const known = patterns.get(path);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
  patterns.set(path, pattern);
  return pattern;
}

/**
 * Makes a check that says what is wrong with a body, by the schema of its operation and status. null: nothing
 * is.
 */
export function newBodyCheck() {
  const ajv = addFormats(new Ajv2020({ strict: false }));
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema: Schema, body: unknown): string | null => {
    const validate = compiled.get(schema) ?? ajv.compile(schema);
    compiled.set(schema, validate);
    return validate(body) ? null : ajv.errorsText(validate.errors);
  };
}
