import type { z } from "zod";
import { bodyExample, exampleOf, type Schemas, shareIn, type JsonSchema } from "./schemas.ts";
import {
  type Generation,
  fieldErrorsAnswer,
  statusOf,
  v1ErrorAnswer,
  v2ErrorAnswer,
} from "../http/errors.ts";
import type { Access, Operation } from "../http/operation.ts";
import { FAILURES, type FailureKind } from "../failure.ts";

/** The tag of each kind of caller. */
export const TAG_OF = { v1: "V1", v2: "V2", browser: "Browser", operator: "Operation" } as const;
const SECURITY = { v1: [{ apiKey: [] }], browser: [], operator: [] };
const BY_KEY = { bearer: [], accountId: [] };
const BY_SESSION = { session: [] };
/** The security of each access. The description of an operation says which role it needs. */
const ACCESS = {
  anyone: [],
  promoter: [{ portalToken: [] }, { portalSession: [] }],
  key: [BY_KEY],
  person: [BY_SESSION],
  viewer: [BY_KEY, BY_SESSION],
  manager: [BY_KEY, BY_SESSION],
  owner: [BY_KEY, BY_SESSION],
};

/**
 * An operation in OpenAPI's form. `first` is the first route that has it.
 *
 * @see OpenAPI 3.1, "Operation Object"
 */
export function describeOperation(route: DescribedRoute, first: DescribedRoute, schemas: Schemas) {
  const { operation, caller, path } = route;
  const { params } = operation;
  const { id, description } = introduced(route, first);
  const isForm = hasForm(route);
  const query = isForm || !params ? [] : queryParameters(schemas.describe(params, "input"));
  return {
    operationId: id,
    summary: operation.summary,
    description: [description, ...roleOf(route)].join(" "),
    tags: [TAG_OF[caller]],
    security: caller === "v2" ? ACCESS[route.access] : SECURITY[caller],
    parameters: [...pathParameters(path, operation.pathId, schemas), ...query] as object[],
    ...requestBody(route, id, schemas),
    responses: responsesOf(route, schemas),
  };
}

/** The second route of an operation is for clients that can't send the method of its first. */
function introduced({ operation, method }: DescribedRoute, first: DescribedRoute) {
  const { id, description } = operation;
  if (method === first.method) return { id, description };
  if (method === "PATCH") return { id: id.replace(/^update/, "patch"), description: "The same as `PUT`." };
  const reason = first.method === "GET" ? "for clients that send a form" : "for clients that can't send it";
  return {
    id: id.startsWith("get") ? id.replace(/^get/, "post") : `${id}ByPost`,
    description: `The same as \`${first.method}\`, ${reason}.`,
  };
}

function requestBody(route: DescribedRoute, id: string, schemas: Schemas) {
  const { operation } = route;
  if (operation.upload !== undefined) return { requestBody: fileBody(operation.upload) };
  const form = hasForm(route) ? operation.params : undefined;
  const input = form ?? operation.body;
  if (input === undefined) return {};
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}${form ? "Form" : "Body"}`;
  const schema = schemas.refer(input, "input", name);
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  const shown = operation.example ?? exampleOf(schema, schemas.components);
  return { requestBody: { required: true, content: { [type]: { schema, ...bodyExample(shown) } } } };
}

/** A file, raw or in a form. */
function fileBody(type: string) {
  const text = "email,ref_id\r\njane@example.com,jane\r\n";
  const file = { type: "string", description: "The file.", examples: [text] };
  const form = { type: "object", required: ["file"], properties: { file } };
  return {
    required: true,
    content: {
      [type]: { schema: { type: "string" }, ...bodyExample(text) },
      "multipart/form-data": { schema: form, ...bodyExample({ file: text }) },
    },
  };
}

/** The required role, if it is not the one that the method implies. */
function roleOf({ access }: DescribedRoute): string[] {
  return access === "owner" ? ["A signed-in user needs the role `owner`."] : [];
}

/** V1 and browsers send their changes as a form. */
function hasForm({ caller, method }: DescribedRoute): boolean {
  return caller !== "v2" && method !== "GET" && method !== "DELETE";
}

/** A route that the document describes. */
export interface DescribedRoute {
  method: string;
  /** In h3's form: `/promoters/:id`. */
  path: string;
  operation: Omit<Operation<never>, "handle" | "shape">;
  /** `browser` and `operator` call without a key. */
  caller: Generation | "browser" | "operator";
  /** Who may call it. Only V2 has people who sign in. */
  access: Access;
}

/** The events that the server posts, with a body for each type. */
export interface DescribedEvents {
  types: readonly string[];
  bodyOf(type: string): z.ZodType;
  meaningOf(type: string): string | undefined;
}

const SPELLINGS = (name: string) =>
  `Several: \`${name}=a&${name}=b\`, \`${name}[]=a&${name}[]=b\` or \`${name}[0]=a&${name}[1]=b\`, all the same.`;

const number = (description: string, example: number): JsonSchema => ({
  type: "integer",
  minimum: 1,
  description,
  examples: [example],
});

/** The parameters of paths, by name. */
const PATH_FIELDS: Record<string, JsonSchema> = {
  id: number("Id of the record.", 17),
  webhook_id: number("Id of the webhook.", 4),
  campaign: number("Id of the campaign.", 5),
};

/** A parameter of the path or of the query. */
export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  description?: unknown;
  example?: unknown;
  style?: "form";
  explode?: boolean;
  schema: JsonSchema;
}

/**
 * Parameters of a query. Nested ones are listed one by one (`filters[status]`), because OpenAPI has no style for lists
 * within an object.
 */
function queryParameters(schema: JsonSchema): Parameter[] {
  return fieldsOf(schema).flatMap(([name, field, isRequired]) => flatten(name, field, isRequired));
}

/** The parameters of a path like `/webhooks/:webhook_id`. `pathId` describes `id` if it is not only a number. */
function pathParameters(path: string, pathId: z.ZodType | undefined, schemas: Schemas): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const known =
      name === "id" && pathId !== undefined ? schemas.describe(pathId, "input") : PATH_FIELDS[name];
    if (known === undefined) throw new Error(`The parameter ${name} of ${path} has no description`);
    return { ...parameter(name, known), in: "path", required: true };
  });
}

function flatten(name: string, schema: JsonSchema, isRequired: boolean): Parameter[] {
  if (schema["properties"] === undefined) return [{ ...parameter(name, schema), required: isRequired }];
  return fieldsOf(schema).flatMap(([inner, field, isInnerRequired]) =>
    flatten(`${name}[${inner}]`, field, isRequired && isInnerRequired),
  );
}

function fieldsOf(schema: JsonSchema): [name: string, field: JsonSchema, isRequired: boolean][] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, field]) => [name, field, required.includes(name)]);
}

function parameter(name: string, schema: JsonSchema): Parameter {
  const { description, examples, ...rest } = schema;
  const isList = rest["type"] === "array";
  return {
    name,
    in: "query",
    required: false,
    ...(description !== undefined && {
      description: isList ? `${String(description)} ${SPELLINGS(name)}` : description,
    }),
    ...(Array.isArray(examples) && { example: examples[0] as unknown }),
    ...(isList && { style: "form", explode: true }),
    schema: rest,
  };
}

/** Moves parameters that several operations share to the components, and leaves references. */
export function shareParameters(operations: { parameters: object[] }[]): Record<string, object> {
  const uses = new Map<string, number>();
  const all = operations.flatMap(({ parameters }) => parameters);
  for (const text of all.map((each) => JSON.stringify(each))) uses.set(text, (uses.get(text) ?? 0) + 1);
  const shared: Record<string, object> = {};
  for (const operation of operations) {
    operation.parameters = operation.parameters.map((each) => {
      if (uses.get(JSON.stringify(each)) === 1) return each;
      const name = (each as Parameter).name.match(/\w+/g)!.join("_");
      return { $ref: `#/components/parameters/${shareIn(shared, name, each)}` };
    });
  }
  return shared;
}

/** The errors that every operation of a caller may give. */
const COMMON: Record<DescribedRoute["caller"], FailureKind[]> = {
  v1: ["unauthorized", "malformed", "too_large", "rate_limited", "unavailable"],
  v2: ["unauthorized", "forbidden", "malformed", "too_large", "rate_limited", "unavailable"],
  browser: ["not_found", "invalid", "malformed", "too_large", "unavailable"],
  operator: [],
};
const PASSING = new Set<FailureKind>(["conflict", "unavailable", "busy", "rate_limited"]);
const RECORD_FAULTS = new Set<FailureKind>(["invalid", "taken", "rule_broken"]);

/** The empty answer to an event of a person without a promoter. */
const NO_PROMOTER = { description: "No promoter referred this person. Nothing was recorded." };

/** The answers of an operation by status: success, errors, and `default` for a bug. */
function responsesOf(route: DescribedRoute, schemas: Schemas) {
  const { operation, caller } = route;
  const responses: Record<string, unknown> = {
    [String(operation.status ?? 200)]: success(route, schemas),
    ...(operation.acceptedAnswer !== undefined && {
      "202": {
        ...success({ ...route, operation: { ...operation, answer: operation.acceptedAnswer } }, schemas),
        description: "The event is kept, and recorded when there is an exchange rate. Don't send it again.",
      },
    }),
    ...(operation.emptyAnswer !== undefined && { "204": { description: operation.emptyAnswer } }),
  };
  for (const [status, kinds] of Object.entries(refusalsByStatus(route)))
    responses[status] =
      status === "204" ? NO_PROMOTER : schemas.share(`${caller}_${status}`, refusal(route, kinds, schemas));
  if (caller === "operator") return responses;
  return { ...responses, default: schemas.share(`${caller}_bug`, bug(route, schemas)) };
}

function success({ operation, caller }: DescribedRoute, schemas: Schemas) {
  if (operation.status === 204) return { description: "Success, without a body." };
  const schema = schemas.describe(operation.answer, "output");
  const names: HeaderName[] = [
    ...limitHeaders(caller),
    ...(caller === "v2" && operation.body ? (["X-Ignored-Fields"] as const) : []),
    ...(operation.isPaged ? (["Total", "Per-Page", "Link"] as const) : []),
  ];
  return {
    description: operation.isPaged ? "One page of the list." : "Success.",
    headers: headerReferences(names),
    content: operation.media === undefined ? json(schema) : filesOf(operation.media, operation.furtherMedia),
  };
}

function refusalsByStatus({ operation, caller, method }: DescribedRoute): Record<string, FailureKind[]> {
  const generation = caller === "v2" ? "v2" : "v1";
  const writing: FailureKind[] = method === "GET" ? [] : ["conflict", "unsupported"];
  const reading: FailureKind[] = operation.params || operation.body ? ["invalid"] : [];
  const found: Record<string, FailureKind[]> = {};
  for (const kind of new Set([...COMMON[caller], ...reading, ...writing, ...(operation.refusals ?? [])])) {
    const status = operation.statuses?.[kind] ?? statusOf(generation, kind);
    (found[status] ??= []).push(kind);
  }
  return found;
}

function refusal({ operation, caller }: DescribedRoute, kinds: FailureKind[], schemas: Schemas) {
  const isUnknown = kinds.includes("unauthorized");
  const names: HeaderName[] = [
    ...(isUnknown ? [] : limitHeaders(caller)),
    ...(kinds.some((kind) => PASSING.has(kind)) ? (["Retry-After"] as const) : []),
  ];
  const bodies = new Set(kinds.map((kind) => operation.bodies?.[kind] ?? bodyOf(caller, kind)));
  const choices = [...bodies].map((body) => schemas.describe(body, "output"));
  const schema = choices.length === 1 ? (choices[0] ?? {}) : { anyOf: choices };
  return {
    description: kinds.map((kind) => FAILURES[kind].means).join(" "),
    headers: headerReferences(names),
    content: isUnknown && caller === "v1" ? BAD_CREDENTIALS : json(schema),
  };
}

const BAD_CREDENTIALS = {
  "text/plain": { schema: { const: "Bad credentials" }, ...bodyExample("Bad credentials") },
};

function bodyOf(caller: DescribedRoute["caller"], kind: FailureKind): z.ZodType {
  if (caller === "v2") return v2ErrorAnswer;
  return RECORD_FAULTS.has(kind) ? fieldErrorsAnswer : v1ErrorAnswer;
}

function bug({ caller }: DescribedRoute, schemas: Schemas) {
  const body = caller === "v2" ? v2ErrorAnswer : v1ErrorAnswer;
  return {
    description: "A bug in the server. Nothing was changed.",
    headers: headerReferences(["X-Request-Id"]),
    content: json(schemas.describe(body, "output")),
  };
}

/** Without an example, because viewers compose it from those of the fields. */
function json(schema: JsonSchema) {
  return { "application/json": { schema } };
}

const FILES = {
  "text/csv": "period,clicks_count\r\n2026-03,340\r\n",
  "application/x-ndjson": '{"kind":"promoters","id":7,"email":"jane@example.com"}\n',
  "application/pdf": "%PDF-1.3",
  "application/zip": "PK",
  "application/xml": '<?xml version="1.0" encoding="UTF-8"?>\n<Document/>\n',
  "text/plain": "101 021000021 1234567892603010930A094101ACME BANK\n",
};

function filesOf(media: keyof typeof FILES, further: readonly (keyof typeof FILES)[] = []) {
  const files = [media, ...further].map((each) => [
    each,
    { schema: { type: "string" }, ...bodyExample(FILES[each]) },
  ]);
  return Object.fromEntries(files);
}

const numberHeader = (description: string, example: number) => ({
  description,
  schema: { type: "integer", minimum: 0 },
  example,
});
const textHeader = (description: string, example: string) => ({
  description,
  schema: { type: "string" },
  example,
});

/** Headers of answers, by name. */
export const HEADERS = {
  "RateLimit-Limit": numberHeader(
    "How many requests are allowed per minute. Missing if there is no limit.",
    450,
  ),
  "RateLimit-Remaining": numberHeader("How many requests are left in this minute.", 449),
  "RateLimit-Reset": numberHeader("Seconds until the next minute.", 42),
  "Retry-After": numberHeader("Seconds to wait before you send the request again.", 1),
  "X-Ignored-Fields": textHeader(
    "Unknown fields of the body, percent-encoded. Error answers have it too. Missing if there are none.",
    "emial",
  ),
  "X-Request-Id": textHeader(
    "Identifies this request in the server's log. Quote it when you report an error.",
    "b3c1",
  ),
  Total: numberHeader("How many records the whole list has.", 120),
  "Per-Page": numberHeader("The page size.", 50),
  Link: textHeader(
    "Addresses of the pages around this one, by `rel`: `first`, `prev`, `last`, `next` (RFC 8288). Missing if there is only one page.",
    '<https://track.example.com/api/v1/leads/list?page=2>; rel="next"',
  ),
} as const;

type HeaderName = keyof typeof HEADERS;

/** References to headers, for one response. */
function headerReferences(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The rate limit headers, for callers with a key. */
function limitHeaders(caller: DescribedRoute["caller"]): HeaderName[] {
  return caller === "v1" || caller === "v2"
    ? ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"]
    : [];
}
