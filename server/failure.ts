/** A kind of expected refusal, with its usual answer. */
interface Refusal {
  /** The status in V1, and of the browser's routes. */
  v1: number;
  /** The status in V2. */
  v2: number;
  /** V2's `code`. */
  code: string;
  /** For readers of the OpenAPI document. */
  means: string;
}

/** Every kind of expected refusal. A further one is a line here. */
export const FAILURES = {
  unauthorized: {
    v1: 401,
    v2: 401,
    code: "unauthorized",
    means: "The key is missing, unknown or revoked, or no user is signed in.",
  },
  second_factor_required: {
    v1: 401,
    v2: 401,
    code: "second_factor_required",
    means: "The password is right, but the code of the second factor is missing or wrong.",
  },
  second_factor_setup_required: {
    v1: 403,
    v2: 403,
    code: "second_factor_setup_required",
    means: "The account requires a second factor, and the user has none yet.",
  },
  forbidden: {
    v1: 403,
    v2: 403,
    code: "forbidden",
    means: "The key or the site does not belong to this account, or the user's role does not allow this.",
  },
  not_found: {
    v1: 404,
    v2: 404,
    code: "not_found",
    means: "The record that the request names does not exist.",
  },
  method_not_allowed: {
    v1: 405,
    v2: 405,
    code: "method_not_allowed",
    means: "The path does not support this method.",
  },
  malformed: {
    v1: 400,
    v2: 422,
    code: "invalid_params",
    means: "The request can't be read: its body, form or path is broken.",
  },
  too_large: {
    v1: 413,
    v2: 413,
    code: "invalid_params",
    means: "The request is larger or more deeply nested than the server accepts.",
  },
  unsupported: {
    v1: 415,
    v2: 415,
    code: "unsupported_media_type",
    means: "The body is compressed. Send it plain.",
  },
  missing: { v1: 422, v2: 422, code: "invalid_params", means: "A required parameter is missing." },
  invalid: {
    v1: 422,
    v2: 422,
    code: "invalid_params",
    means: "A field has a value that is not allowed. The answer names each such field.",
  },
  taken: { v1: 422, v2: 400, code: "invalid_record", means: "Another record already has this value." },
  rule_broken: {
    v1: 422,
    v2: 400,
    code: "invalid_record",
    means: "The change would break a rule of the record.",
  },
  worthless: {
    v1: 422,
    v2: 400,
    code: "invalid_record",
    means: "The amount is worth less than the smallest unit of the account's currency.",
  },
  in_use: { v1: 422, v2: 409, code: "destroy_failed", means: "Other records depend on this one." },
  refused: { v1: 422, v2: 422, code: "operation_failed", means: "The record's state does not allow this." },
  already_registered: {
    v1: 422,
    v2: 422,
    code: "operation_failed",
    means: "The event was recorded before. Nothing changed.",
  },
  conflict: {
    v1: 503,
    v2: 409,
    code: "conflict",
    means: "Other requests changed the same records at the same time. Send the request again.",
  },
  rate_limited: {
    v1: 429,
    v2: 429,
    code: "rate_limited",
    means: "Too many requests. Wait as long as `Retry-After` says.",
  },
  unavailable: {
    v1: 503,
    v2: 503,
    code: "unavailable",
    means: "The store can't be reached or written to at the moment. Send the request again.",
  },
  busy: {
    v1: 503,
    v2: 503,
    code: "unavailable",
    means: "Too many others are signing in at the moment. Wait as long as `Retry-After` says.",
  },
} as const satisfies Record<string, Refusal>;

export type FailureKind = keyof typeof FAILURES;

/** Messages for each faulty field, under the field names of the wire. */
export type FieldErrors = Record<string, string[]>;

/** An expected refusal. Any other error is a bug and answers 500. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly fields: FieldErrors;
  /** Null if a retry does not help, or if the time is unknown. */
  readonly retryAfterSeconds: number | null;

  constructor(
    kind: FailureKind,
    message: string,
    fields: FieldErrors = {},
    { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
  ) {
    // A refusal is an answer. Its stack trace is never read, and costs more than the decision itself.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "Failure";
    this.kind = kind;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whether the store was unusable. A retry may succeed, and the error says nothing about the records. */
export function isOutage(error: unknown): error is Failure & { kind: "unavailable" } {
  return error instanceof Failure && error.kind === "unavailable";
}

/** The cause of a failure that is no fault of the store: others have kept changing the same records. */
export const LOST_RACE = new Error("Others have changed records that the transaction has read");

/**
 * The reason of a failure, for operators. The refusal that clients see leaves the cause out, and the error
 * for a host with several addresses has no message.
 */
export function reasonOf(error: unknown): string {
  const fault = isOutage(error) && error.cause instanceof Error ? error.cause : (error as Error);
  return fault.message || ("code" in fault ? String(fault.code) : fault.name);
}
