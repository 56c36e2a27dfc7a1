import { z } from "zod";
import { Failure, FAILURES, type FailureKind } from "../failure.ts";
import { empty, json, plainText, type AnswerHeaders } from "./answer.ts";
import { field } from "./fields.ts";

/** Writes a refusal in the shape that one kind of client expects. */
export type ErrorShape = (failure: Failure, headers: AnswerHeaders) => Response;

/** The two generations of the API. The browser routes answer like V1. */
export type Generation = "v1" | "v2";

/** Conflicts are usually over within a second. */
const RETRY_SECONDS = 1;

/** Every `code` of V2. */
const ERROR_CODES = ["internal_error", ...new Set(Object.values(FAILURES).map(({ code }) => code))];

/** The status of a refusal, unless an operation has its own. */
export function statusOf(generation: Generation, kind: FailureKind): number {
  return FAILURES[kind][generation];
}

/**
 * `{error}`, the record's field errors, or plain text for a 401. @see docs/spec/common.md "Errors", 1 to 3
 */
export function v1Error(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind === "unauthorized") return plainText("Bad credentials", headers, 401);
  const isRecordFault =
    failure.kind === "invalid" || failure.kind === "taken" || failure.kind === "rule_broken";
  const body = isRecordFault ? failure.fields : { error: failure.message };
  return json(body, withRetry(failure, headers), FAILURES[failure.kind].v1);
}

/** `{message, code}`, with `errors` for faulty fields. @see docs/spec/common.md "Errors", 4 */
export function v2Error(failure: Failure, headers: AnswerHeaders): Response {
  const hasFields = Object.keys(failure.fields).length > 0;
  return v2Answer(failure, headers, hasFields && { errors: failure.fields });
}

/** `{message, code, errors}`, with empty `errors` if no field is faulty. @see docs/spec/common.md "Errors" */
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

/** The body of an error in V2. */
export const v2ErrorAnswer = z
  .object({
    message: field(z.string(), "What happened, for people.", "Validation failed: email is invalid"),
    code: field(z.enum(ERROR_CODES), "What kind of error it is, for programs.", "invalid_params"),
    errors: field(z.record(z.string(), messages).optional(), "Errors by field.", { email: ["is invalid"] }),
  })
  .meta({ id: "Error" });

/** The body of an error in V1, except for field errors. */
export const v1ErrorAnswer = z
  .object({ error: field(z.string(), "What went wrong, for people.", "Campaign 7 was not found") })
  .meta({ id: "V1Error" });

/** The field errors of a record. A new promoter's also contain a message and the errors of the promotion. */
export const fieldErrorsAnswer = z
  .object({
    message: field(z.string().optional(), v2ErrorAnswer.shape.message),
    promotions: field(
      z.array(z.record(z.string(), messages)).optional(),
      "The errors of the promotion, repeated.",
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

/** The errors of an operation that differ from its generation's. */
export interface OwnRefusals {
  /** The statuses that differ. */
  statuses?: Partial<Record<FailureKind, number>>;
  /** The bodies that differ. */
  bodies?: Partial<Record<FailureKind, z.ZodType>>;
  shape: ErrorShape;
}

/** A special error: its status, and the field with the message, or null for no body. */
type Own = [status: number, field: "message" | "transaction_id" | null];
type OwnTable = Partial<Record<FailureKind, Own>>;

const OWN_BODIES = { message: messageAnswer, transaction_id: alreadyRegisteredAnswer };

/** The errors of a table; `otherwise` has those that are not in it. */
function refusalsOf(table: OwnTable, otherwise: OwnRefusals): OwnRefusals {
  const rows = Object.entries(table) as [FailureKind, Own][];
  const bodies = rows.flatMap(([kind, [, name]]) => (name === null ? [] : [[kind, OWN_BODIES[name]]]));
  return {
    statuses: {
      ...otherwise.statuses,
      ...Object.fromEntries(rows.map(([kind, [status]]) => [kind, status])),
    },
    bodies: { ...otherwise.bodies, ...Object.fromEntries(bodies) },
    shape(failure, headers) {
      const own = table[failure.kind];
      if (own === undefined) return otherwise.shape(failure, headers);
      const [status, name] = own;
      return name === null ? empty(headers) : json({ [name]: failure.message }, headers, status);
    },
  };
}

/** @see docs/spec/v1.md "Track a sign-up" */
const SIGNUP = {
  missing: [400, "message"],
  not_found: [404, "message"],
  already_registered: [422, "transaction_id"],
} satisfies OwnTable;

/** Errors of sales, refunds and cancellations. A person without a promoter gets 204; V2's sale answers 404. */
const V2_SALE = {
  missing: [400, "message"],
  invalid: [400, "message"],
  rule_broken: [400, "message"],
  worthless: [400, "message"],
  already_registered: [409, "message"],
} satisfies OwnTable;
const EVENT = { ...V2_SALE, not_found: [204, null] } satisfies OwnTable;

const V1: OwnRefusals = { shape: v1Error };

/**
 * V2's errors of events. Callers drop an event after 409, because it means "recorded before". So a conflict needs another
 * status.
 */
const V2_TRACKING: OwnRefusals = {
  statuses: { conflict: 503 },
  shape: (failure, headers) =>
    v2Error(failure.kind === "conflict" ? new Failure("unavailable", failure.message) : failure, headers),
};

export const v1SignupRefusals = refusalsOf(SIGNUP, V1);
export const v2SignupRefusals = refusalsOf(SIGNUP, V2_TRACKING);
export const v1SubscriptionRefusals = refusalsOf({ ...SIGNUP, already_registered: [409, "message"] }, V1);
export const v1EventRefusals = refusalsOf(EVENT, V1);
export const v2EventRefusals = refusalsOf(EVENT, V2_TRACKING);
export const v2SaleRefusals = refusalsOf(V2_SALE, V2_TRACKING);

function v2Answer(failure: Failure, headers: AnswerHeaders, rest: object | false): Response {
  const { v2: status, code } = FAILURES[failure.kind];
  const body = { message: failure.message, code, ...rest };
  return json(body, withRetry(failure, headers), status);
}

function withRetry(failure: Failure, headers: AnswerHeaders): AnswerHeaders {
  const isPassing = failure.kind === "conflict" || failure.kind === "unavailable";
  const seconds = isPassing ? RETRY_SECONDS : failure.retryAfterSeconds;
  return seconds === null ? headers : { ...headers, "retry-after": String(seconds) };
}
