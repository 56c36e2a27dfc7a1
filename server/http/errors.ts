import { Failure, type FailureKind } from "../failure.ts";
import { json, plainText, type AnswerHeaders } from "./answer.ts";

/** Writes a refusal in the shape that one kind of client expects. */
export type ErrorShape = (failure: Failure, headers: AnswerHeaders) => Response;

/** The two generations of the interface. The browser routes answer like V1. */
export type Generation = "v1" | "v2";

/** A conflict is over in a moment. */
const RETRY_SECONDS = 1;

const V1_STATUS: Record<FailureKind, number> = {
  unauthorized: 401,
  second_factor_required: 401,
  second_factor_setup_required: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  malformed: 400,
  too_large: 413,
  unsupported: 415,
  missing: 422,
  invalid: 422,
  taken: 422,
  rule_broken: 422,
  worthless: 422,
  in_use: 422,
  refused: 422,
  already_registered: 422,
  conflict: 503,
  rate_limited: 429,
  unavailable: 503,
  busy: 503,
};

const V2_STATUS: Record<FailureKind, [status: number, code: string]> = {
  unauthorized: [401, "unauthorized"],
  second_factor_required: [401, "second_factor_required"],
  second_factor_setup_required: [403, "second_factor_setup_required"],
  forbidden: [403, "forbidden"],
  not_found: [404, "not_found"],
  method_not_allowed: [405, "method_not_allowed"],
  malformed: [422, "invalid_params"],
  too_large: [413, "invalid_params"],
  unsupported: [415, "unsupported_media_type"],
  missing: [422, "invalid_params"],
  invalid: [422, "invalid_params"],
  taken: [400, "invalid_record"],
  rule_broken: [400, "invalid_record"],
  worthless: [400, "invalid_record"],
  in_use: [409, "destroy_failed"],
  refused: [422, "operation_failed"],
  already_registered: [422, "operation_failed"],
  conflict: [409, "conflict"],
  rate_limited: [429, "rate_limited"],
  unavailable: [503, "unavailable"],
  busy: [503, "unavailable"],
};

/** Every `code` of V2. */
export const ERROR_CODES = ["internal_error", ...new Set(Object.values(V2_STATUS).map(([, code]) => code))];

/** The status of a refusal, unless an operation has its own. */
export function statusOf(generation: Generation, kind: FailureKind): number {
  return generation === "v1" ? V1_STATUS[kind] : V2_STATUS[kind][0];
}

/**
 * `{error}`, the record's field errors, or plain text for a 401. @see docs/spec/common.md "Errors", 1 to 3
 */
export function v1Error(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind === "unauthorized") return plainText("Bad credentials", headers, 401);
  const isRecordFault =
    failure.kind === "invalid" || failure.kind === "taken" || failure.kind === "rule_broken";
  const body = isRecordFault ? failure.fields : { error: failure.message };
  return json(body, withRetry(failure, headers), V1_STATUS[failure.kind]);
}

/** `{message, code}`, with `errors` if fields are at fault. @see docs/spec/common.md "Errors", 4 */
export function v2Error(failure: Failure, headers: AnswerHeaders): Response {
  const hasFields = Object.keys(failure.fields).length > 0;
  return v2Answer(failure, headers, hasFields && { errors: failure.fields });
}

/** The statuses of V2's tracking that are not the generation's. */
export const V2_TRACKING_STATUSES = { conflict: 503 } as const;

/**
 * V2's refusals of events. There 409 says that an event was recorded before, and callers drop it, so a conflict must
 * not answer it.
 */
export const v2TrackingError: ErrorShape = (failure, headers) =>
  v2Error(failure.kind === "conflict" ? new Failure("unavailable", failure.message) : failure, headers);

/** `{message, code, errors}`, with empty `errors` if no field is at fault. @see docs/spec/common.md "Errors" */
export function v2FieldError(failure: Failure, headers: AnswerHeaders): Response {
  return v2Answer(failure, headers, { errors: failure.fields });
}

function v2Answer(failure: Failure, headers: AnswerHeaders, rest: object | false): Response {
  const [status, code] = V2_STATUS[failure.kind];
  const body = { message: failure.message, code, ...rest };
  return json(body, withRetry(failure, headers), status);
}

/** The statuses of sign-up tracking's own bodies. @see docs/spec/v1.md "Track a sign-up" */
export const SIGNUP_STATUSES = { missing: 400, not_found: 404, already_registered: 422 } as const;

/**
 * The three bodies of sign-up tracking. Other refusals have the generation's.
 *
 * @see docs/spec/v1.md "Track a sign-up"
 */
export function signupError(generation: ErrorShape): ErrorShape {
  return (failure, headers) => {
    const { kind, message } = failure;
    if (kind === "already_registered") {
      return json({ transaction_id: message }, headers, SIGNUP_STATUSES[kind]);
    }
    if (kind !== "missing" && kind !== "not_found") return generation(failure, headers);
    return json({ message }, headers, SIGNUP_STATUSES[kind]);
  };
}

/** The statuses of a subscription's own bodies. */
export const SUBSCRIPTION_STATUSES = { ...SIGNUP_STATUSES, already_registered: 409 } as const;

/** The bodies of a subscription: those of a sign-up, and 409 with `{message}` for a subscriber. */
export function subscriptionError(generation: ErrorShape): ErrorShape {
  return (failure, headers) => {
    const { kind, message } = failure;
    if (kind !== "already_registered") return signupError(generation)(failure, headers);
    return json({ message }, headers, SUBSCRIPTION_STATUSES[kind]);
  };
}

/** The answer to a bug. The log holds the details under the request's id. */
export function bugAnswer(generation: Generation, requestId: string, headers: AnswerHeaders = {}): Response {
  const message = "Internal server error";
  const body = generation === "v1" ? { error: message } : { message, code: "internal_error" };
  return json(body, { ...headers, "x-request-id": requestId }, 500);
}

function withRetry(failure: Failure, headers: AnswerHeaders): AnswerHeaders {
  const isPassing = failure.kind === "conflict" || failure.kind === "unavailable";
  const seconds = isPassing ? RETRY_SECONDS : failure.retryAfterSeconds;
  return seconds === null ? headers : { ...headers, "retry-after": String(seconds) };
}
