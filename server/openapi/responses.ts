import type { z } from "zod";
import { FAILURES, type FailureKind } from "../failure.ts";
import { fieldErrorsAnswer, statusOf, v1ErrorAnswer, v2ErrorAnswer } from "../http/errors.ts";
import type { DescribedRoute } from "./described-route.ts";
import { bodyExample } from "./example.ts";
import { headerReferences, limitHeaders, type HeaderName } from "./headers.ts";
import type { JsonSchema, Schemas } from "./schemas.ts";

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
export function responsesOf(route: DescribedRoute, schemas: Schemas) {
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
    ...(operation.mayBeAged ? (["X-Data-Age"] as const) : []),
    ...(operation.isPaged ? (["Total", "Per-Page", "Link"] as const) : []),
  ];
  return {
    description: operation.isPaged ? "One page of the list." : "Success.",
    headers: headerReferences(names),
    content: operation.media === undefined ? json(schema) : fileOf(operation.media),
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
};

function fileOf(media: keyof typeof FILES) {
  return { [media]: { schema: { type: "string" }, ...bodyExample(FILES[media]) } };
}
