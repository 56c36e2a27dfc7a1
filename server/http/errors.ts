import { z } from "zod";
import { Failure, type FailureKind } from "../failure.ts";
import { empty, json, plainText, type AnswerHeaders } from "./answer.ts";
import { field } from "./fields.ts";

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
const ERROR_CODES = ["internal_error", ...new Set(Object.values(V2_STATUS).map(([, code]) => code))];

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

/** `{message, code, errors}`, with empty `errors` if no field is at fault. @see docs/spec/common.md "Errors" */
export function v2FieldError(failure: Failure, headers: AnswerHeaders): Response {
  return v2Answer(failure, headers, { errors: failure.fields });
}

/** The answer to a bug. The log holds the details under the request's id. */
export function bugAnswer(generation: Generation, requestId: string, headers: AnswerHeaders = {}): Response {
  const message = "Internal server error";
  const body = generation === "v1" ? { error: message } : { message, code: "internal_error" };
  return json(body, { ...headers, "x-request-id": requestId }, 500);
}

const messages = z.array(z.string());

/** The body of a refusal in V2. */
export const v2ErrorAnswer = z
  .object({
    message: field(z.string(), "What happened, for people.", "Validation failed: email is invalid"),
    code: field(z.enum(ERROR_CODES), "What kind of error it is, for programs.", "invalid_params"),
    errors: field(z.record(z.string(), messages).optional(), "Faults by field.", { email: ["is invalid"] }),
  })
  .meta({ id: "Error" });

/** The body of a refusal in V1, except for field errors. */
export const v1ErrorAnswer = z
  .object({ error: field(z.string(), "What went wrong, for people.", "Campaign 7 was not found") })
  .meta({ id: "V1Error" });

/** The field errors of a record. A new promoter's also contain a message and the errors of the promotion. */
export const fieldErrorsAnswer = z
  .object({
    message: field(z.string().optional(), v2ErrorAnswer.shape.message),
    promotions: field(
      z.array(z.record(z.string(), messages)).optional(),
      "The faults of the promotion, repeated.",
      [{ ref_id: ["has already been taken"] }],
    ),
  })
  .catchall(messages)
  .meta({ id: "V1FieldErrors" });

/** The body if sign-up tracking finds no promoter, or neither e-mail nor uid is given. */
export const messageAnswer = z
  .object({ message: field(z.string(), v2ErrorAnswer.shape.message) })
  .meta({ id: "ErrorMessage" });

/** The body if the lead has signed up before. */
const alreadyRegisteredAnswer = z
  .object({
    transaction_id: field(
      z.string(),
      "Says that the sign-up was recorded before.",
      "Signup event is already registered on this lead.",
    ),
  })
  .meta({ id: "AlreadyRegistered" });

/** The statuses of sign-up tracking's own bodies. @see docs/spec/v1.md "Track a sign-up" */
export const SIGNUP_STATUSES = { missing: 400, not_found: 404, already_registered: 422 } as const;

/** The bodies of sign-up tracking's own refusals. @see SIGNUP_STATUSES */
export const SIGNUP_BODIES = {
  missing: messageAnswer,
  not_found: messageAnswer,
  already_registered: alreadyRegisteredAnswer,
};

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

/** The statuses of V2's tracking that are not the generation's. */
export const V2_TRACKING_STATUSES = { conflict: 503 } as const;

/**
 * V2's refusals of events. There 409 says that an event was recorded before, and callers drop it, so a conflict must
 * not answer it.
 */
export const v2TrackingError: ErrorShape = (failure, headers) =>
  v2Error(failure.kind === "conflict" ? new Failure("unavailable", failure.message) : failure, headers);

/** The statuses of refused sales, refunds and cancellations. */
export const EVENT_STATUSES = {
  missing: 400,
  invalid: 400,
  rule_broken: 400,
  worthless: 400,
  already_registered: 409,
  not_found: 204,
} as const;

/** The bodies of refused events. A 204 has none. */
export const EVENT_BODIES = {
  missing: messageAnswer,
  invalid: messageAnswer,
  rule_broken: messageAnswer,
  worthless: messageAnswer,
  already_registered: messageAnswer,
};

/** 400 and 409 with `{message}`, and 204 for a person whom nobody referred. */
export function eventError(generation: ErrorShape): ErrorShape {
  return (failure, headers) => {
    const { kind, message } = failure;
    if (kind === "not_found") return empty(headers);
    const status = kind in EVENT_STATUSES ? EVENT_STATUSES[kind as keyof typeof EVENT_STATUSES] : null;
    return status === null ? generation(failure, headers) : json({ message }, headers, status);
  };
}

/** The statuses and bodies of a sale in V2, which answers 404 for a person whom nobody referred. */
export const V2_SALE_STATUSES = { ...EVENT_STATUSES, ...V2_TRACKING_STATUSES, not_found: 404 } as const;
export const V2_SALE_BODIES = { ...EVENT_BODIES, not_found: v2ErrorAnswer };

/** The refusals of a sale in V2. */
export const v2SaleError: ErrorShape = (failure, headers) =>
  failure.kind === "not_found"
    ? v2TrackingError(failure, headers)
    : eventError(v2TrackingError)(failure, headers);

function v2Answer(failure: Failure, headers: AnswerHeaders, rest: object | false): Response {
  const [status, code] = V2_STATUS[failure.kind];
  const body = { message: failure.message, code, ...rest };
  return json(body, withRetry(failure, headers), status);
}

function withRetry(failure: Failure, headers: AnswerHeaders): AnswerHeaders {
  const isPassing = failure.kind === "conflict" || failure.kind === "unavailable";
  const seconds = isPassing ? RETRY_SECONDS : failure.retryAfterSeconds;
  return seconds === null ? headers : { ...headers, "retry-after": String(seconds) };
}
