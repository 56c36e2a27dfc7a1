/**
 * Every kind of expected refusal. Only `http/errors.ts` knows their statuses.
 *
 * - `unauthorized`: the key is missing, unknown or revoked, the session has ended, or the password is wrong
 * - `second_factor_required`: the password is right, the code of the second factor is missing or wrong
 * - `second_factor_setup_required`: the account demands a second factor, and the user has none yet
 * - `forbidden`: the key or the session is valid, but not for this account, origin or operation
 * - `not_found`: the named record does not exist, or the caller may not see it
 * - `method_not_allowed`: the path exists, the method does not
 * - `malformed`: the bytes can't be read (encoding, JSON, content type)
 * - `too_large`: a size limit was exceeded
 * - `unsupported`: the body is compressed
 * - `missing`: a required parameter is absent
 * - `invalid`: a parameter, or the record that it would make, breaks a rule
 * - `taken`: a unique value belongs to another record
 * - `rule_broken`: the record is, or would be, in a state that is not allowed (archived, contradictory)
 * - `worthless`: the amount is worth less than the smallest unit of the account's currency
 * - `in_use`: other records depend on the record, so it can't be deleted
 * - `refused`: the record's current state does not allow the change
 * - `already_registered`: the event was recorded before
 * - `conflict`: other requests kept changing the same records
 * - `rate_limited`: too many requests
 * - `unavailable`: the store can't be reached or written to, for example because the disk is full; a retry
 *   may help
 * - `busy`: too much work of one kind is under way already
 */
export type FailureKind =
  | "unauthorized"
  | "second_factor_required"
  | "second_factor_setup_required"
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
  | "worthless"
  | "in_use"
  | "refused"
  | "already_registered"
  | "conflict"
  | "rate_limited"
  | "unavailable"
  | "busy";

/** Messages for each faulty field, under the field names of the wire. */
export type FieldErrors = Record<string, string[]>;

/** An expected refusal. Everything else that is thrown is a bug and answers 500. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly fields: FieldErrors;
  /** null: a retry does not help, or nobody knows when it would. */
  readonly retryAfterSeconds: number | null;

  constructor(
    kind: FailureKind,
    message: string,
    fields: FieldErrors = {},
    { retryAfterSeconds = null }: { retryAfterSeconds?: number | null } = {},
  ) {
    // A refusal is an answer. Nobody reads its stack trace, which costs more than the decision itself.
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

/**
 * Why something failed, for operators. The refusal that clients see leaves the cause out, and the error for a host with
 * several addresses has no message.
 */
export function reasonOf(error: unknown): string {
  const fault = isOutage(error) && error.cause instanceof Error ? error.cause : (error as Error);
  return fault.message || ("code" in fault ? String(fault.code) : fault.name);
}
