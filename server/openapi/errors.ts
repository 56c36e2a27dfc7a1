import type { FailureKind } from "../failure.ts";
import { statusOf } from "../http/errors.ts";
import type { DescribedRoute } from "./described-route.ts";
import type { JsonSchema } from "./schemas.ts";

const TEXTS: Record<FailureKind, string> = {
  unauthorized: "The key is missing, unknown or revoked",
  forbidden: "The key or the site belongs to another account",
  not_found: "What was named does not exist",
  method_not_allowed: "The path has no such method",
  malformed: "The request can't be read",
  too_large: "A limit on size was passed",
  unsupported: "The body is compressed",
  missing: "A parameter without which the request means nothing",
  invalid: "A parameter, or the record it would make, breaks a rule",
  taken: "A unique value belongs to another record",
  rule_broken: "The record is, or would be, such as none may be",
  in_use: "Others depend on the record",
  already_registered: "The event was recorded before",
  refused: "The record's state does not allow it",
  conflict: "Others kept changing the same records; try again",
  unavailable: "The store can't be reached or written to; try again",
  rate_limited: "Too many requests",
  not_implemented: "The operation is not built yet",
};

const text: JsonSchema = { type: "string" };
const fieldErrors: JsonSchema = { type: "object", additionalProperties: { type: "array", items: text } };

const V1_BODY: JsonSchema = {
  anyOf: [
    { type: "object", properties: { error: text }, required: ["error"] },
    { type: "object", properties: { message: text }, required: ["message"] },
    { type: "object", properties: { transaction_id: text }, required: ["transaction_id"] },
    fieldErrors,
  ],
};
const V2_BODY: JsonSchema = {
  anyOf: [
    {
      type: "object",
      properties: { message: text, code: text, errors: fieldErrors },
      required: ["message", "code"],
    },
    { type: "object", properties: { message: text }, required: ["message"] },
    { type: "object", properties: { transaction_id: text }, required: ["transaction_id"] },
  ],
};

/** The responses to refusals, by status. */
export function errorResponses(
  { caller, operation }: DescribedRoute,
  kinds: Iterable<FailureKind>,
): Record<string, unknown> {
  if (caller === "operator") return {};
  const generation = caller === "v2" ? "v2" : "v1";
  const texts: Record<string, string[]> = {};
  for (const kind of kinds) {
    const status = operation.statuses?.[kind] ?? statusOf(generation, kind);
    (texts[status] ??= []).push(TEXTS[kind]);
  }
  const responses = Object.entries(texts).map(([status, reasons]) => [
    status,
    { description: reasons.join("; "), content: contentOf(caller, status) },
  ]);
  return { ...Object.fromEntries(responses), default: bug(caller) };
}

function contentOf(caller: DescribedRoute["caller"], status: string) {
  if (caller === "v1" && status === "401") return { "text/plain": { schema: { const: "Bad credentials" } } };
  return { "application/json": { schema: caller === "v2" ? V2_BODY : V1_BODY } };
}

function bug(caller: DescribedRoute["caller"]) {
  return {
    description: "A bug, logged under the id in X-Request-Id",
    headers: { "X-Request-Id": { schema: text } },
    content: contentOf(caller, "500"),
  };
}
