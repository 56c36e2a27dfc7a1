import { z } from "zod";
import { Failure, type FieldErrors } from "../failure.ts";
import { MAX_DEPTH, MAX_KEYS, parseJsonObject } from "./json.ts";

const TEXT_LENGTH = 1_000;
const LONG_TEXT_LENGTH = 10_000;
const URL_LENGTH = 8_192;
const CUSTOM_FIELDS_BYTES = 16 * 1024;
/** RFC 5321 allows 254 characters between the angle brackets. */
const EMAIL_LENGTH = 254;

const FLAGS = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["no", false],
]);

const TOO_LARGE = `is too large (maximum is 16 KiB, ${MAX_KEYS} keys, ${MAX_DEPTH} levels)`;
const tooLong = (length: number) => `is too long (maximum is ${length} characters)`;

/** A short text. */
export const text = z.string("is invalid").max(TEXT_LENGTH, tooLong(TEXT_LENGTH));

/** A note or a description. */
export const longText = z.string("is invalid").max(LONG_TEXT_LENGTH, tooLong(LONG_TEXT_LENGTH));

/** Choice: as long as the address line that common servers take, so that no real visit is refused. */
export const address = z.string("is invalid").max(URL_LENGTH, tooLong(URL_LENGTH));

/**
 * An e-mail address, trimmed. Choice: anything with one `@` between two words without blanks or
 * control characters, since a lead with an unusual address must not be lost.
 */
export const email = z
  .string("is invalid")
  .trim()
  .max(EMAIL_LENGTH, tooLong(EMAIL_LENGTH))
  // eslint-disable-next-line no-control-regex -- control characters are what it keeps out
  .regex(/^[^\s@<>"\u0000-\u001f\u007f]{1,64}@[^\s@<>"\u0000-\u001f\u007f]+$/, "is invalid");

/** An absolute web address. */
export const webAddress = text.refine(isWebAddress, "is invalid");

/** `true`/`false`, `1`/`0`, `yes`/`no`, in any case, or a JSON boolean. */
export const flag = z
  .union([z.boolean(), z.string(), z.number()], "is invalid")
  .transform((value, context) => {
    const known = FLAGS.get(String(value).trim().toLowerCase());
    if (known === undefined) context.addIssue("is invalid");
    return known ?? false;
  });

/** A positive integer, also as text. */
export const id = z
  .union([z.number(), z.string()], "is invalid")
  .transform((value) => (/^\d{1,15}$/.test(String(value).trim()) ? Number(value) : Number.NaN))
  .refine((value) => value > 0, "is invalid");

/** With or without an offset. */
const ZONES = { offset: true, local: true };

/** An ISO 8601 date or date-time, seconds or not; UTC where it names no offset. Impossible days are refused. */
export const instant = z
  .string("is invalid")
  .trim()
  .transform((value) => value.replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T"))
  .pipe(
    z.union([z.iso.date(), z.iso.datetime(ZONES), z.iso.datetime({ ...ZONES, precision: -1 })], "is invalid"),
  )
  .transform(
    (value) => new Date(/T.*(Z|[+-]\d\d:?\d\d)$/i.test(value) || value.length === 10 ? value : `${value}Z`),
  )
  .refine((value) => !Number.isNaN(value.getTime()), "is invalid");

/** A JSON object, as text or as it is. */
export const jsonObject = z
  .union([z.string(), z.record(z.string(), z.unknown())], "is invalid")
  .transform((value, context) => {
    const object = typeof value === "string" ? parseObject(value) : value;
    if (object === null) context.addIssue("is not a JSON object");
    else if (object === "excess" || Buffer.byteLength(JSON.stringify(object)) > CUSTOM_FIELDS_BYTES)
      context.addIssue(TOO_LARGE);
    return object === "excess" ? null : object;
  });

/**
 * The value that a schema makes of the parameters; blank ones count as absent, unlisted ones are dropped.
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shape<S extends z.ZodType>(schema: S, params: Record<string, unknown>): z.output<S> {
  return parse(schema, withoutBlanks(params));
}

/**
 * The changes that a schema makes of the parameters of an update: a blank one clears its field where
 * that may be null, and counts as absent elsewhere. @see gaps "Both generations", blank text
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shapeChanges<S extends z.ZodObject>(schema: S, params: Record<string, unknown>): z.output<S> {
  const fields = new Map(Object.entries(schema.shape) as [string, z.ZodType][]);
  const cleared = Object.entries(params).filter(
    ([name, value]) => isBlank(value) && fields.get(name)?.safeParse(null).success,
  );
  return parse(schema, {
    ...withoutBlanks(params),
    ...Object.fromEntries(cleared.map(([name]) => [name, null])),
  });
}

/** One sentence for all faults of a record. */
export function describe(fields: FieldErrors): string {
  const faults = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  );
  return `Validation failed: ${faults.join(", ")}`;
}

function parse<S extends z.ZodType>(schema: S, params: Record<string, unknown>): z.output<S> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const fields: FieldErrors = {};
  for (const issue of parsed.error.issues) {
    (fields[String(issue.path[0] ?? "base")] ??= []).push(issue.message);
  }
  throw new Failure("invalid", describe(fields), fields);
}

/** Made of entries, so that a parameter named `__proto__` lends nothing to the others. */
function withoutBlanks(params: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => !isBlank(value)));
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}

/** Within the limits of a body: what is nested without end could not be written out again. */
function parseObject(value: string): Record<string, unknown> | "excess" | null {
  try {
    return parseJsonObject(value);
  } catch (error) {
    // Not JSON is a validation error, as any other shape that is no object.
    return error instanceof Failure && error.kind === "too_large" ? "excess" : null;
  }
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value);
}
