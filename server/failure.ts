/**
 * Every kind of expected refusal. `http/errors.ts` alone knows which status each one gets.
 *
 * - `unauthorized`: the key is missing, unknown or revoked
 * - `forbidden`: the key is good, but not for this account or origin
 * - `not_found`: what was named does not exist, or may not be seen
 * - `method_not_allowed`: the path exists, the method does not
 * - `malformed`: the bytes cannot be read (encoding, JSON, content type)
 * - `too_large`: a limit on size was passed
 * - `unsupported`: the body is compressed
 * - `missing`: a parameter without which the request means nothing
 * - `invalid`: a parameter, or the record it would make, breaks a rule
 * - `taken`: a unique value belongs to another record
 * - `rule_broken`: the record is, or would be, such as none may be (archived, contradictory)
 * - `in_use`: others depend on the record, so it can't go
 * - `refused`: what is asked for may not be done to the record as it stands
 * - `already_registered`: the event was recorded before
 * - `conflict`: others kept changing the same records
 * - `rate_limited`: too many requests
 * - `not_implemented`: the interface documents the operation, which is not built yet
 * - `unavailable`: the store cannot be reached or written to, as when the disk is full; try again
 */
export type FailureKind =
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "malformed"
  | "too_large"
  | "unsupported"
  | "missing"
  | "invalid"
  | "taken"
  | "rule_broken"
  | "in_use"
  | "refused"
  | "already_registered"
  | "conflict"
  | "rate_limited"
  | "not_implemented"
  | "unavailable";

/** Messages for each faulty field, in the wire's own field names. */
export type FieldErrors = Record<string, string[]>;

/** An expected refusal. Whatever else is thrown is a bug, and answers 500. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly fields: FieldErrors;
  /** null: trying again later is no remedy, or nobody knows when. */
  readonly retryAfterSeconds: number | null;

  constructor(
    kind: FailureKind,
    message: string,
    fields: FieldErrors = {},
    { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
  ) {
    // A refusal is an answer, not a fault: nobody reads its stack, which costs more than the decision.
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

/** Whether the store could not be used: what was asked for may be done later, and says nothing about its records. */
export function isOutage(error: unknown): error is Failure & { kind: "unavailable" } {
  return error instanceof Failure && error.kind === "unavailable";
}
