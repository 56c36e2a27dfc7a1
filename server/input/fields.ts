import { z } from "zod";
import { findExcess } from "../http/parameters/json.ts";
import { parseUrl } from "../url.ts";
import { field } from "../http/fields.ts";

/*
 * Inputs are accepted in more forms than clients should send. `documentedAs` is the form in the OpenAPI
 * document.
 */

const TEXT_LENGTH = 1_000;
const LONG_TEXT_LENGTH = 10_000;
const URL_LENGTH = 8_192;
const MAX_LISTED = 500;
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

const tooLong = (length: number) => `is too long (maximum is ${length} characters)`;

/** A short text. */
export const text = z.string("is invalid").max(TEXT_LENGTH, tooLong(TEXT_LENGTH));

/** A trimmed text with a maximum length. Later rules run only on texts that are short enough. */
export const word = (length: number) =>
  z
    .string("is invalid")
    .trim()
    .max(length, { error: tooLong(length), abort: true });

/** A note or a description. */
export const longText = z.string("is invalid").max(LONG_TEXT_LENGTH, tooLong(LONG_TEXT_LENGTH));

/** As long as the URLs that common servers accept, so that no real visit is refused. */
export const address = z.string("is invalid").max(URL_LENGTH, tooLong(URL_LENGTH));

/**
 * A trimmed e-mail address. The rule is loose, because a lead with an unusual address must not be lost.
 *
 * @see docs/spec/common.md "Input"
 */
export const email = z
  .string("is invalid")
  .trim()
  .max(EMAIL_LENGTH, tooLong(EMAIL_LENGTH))
  // eslint-disable-next-line no-control-regex -- the pattern excludes control characters
  .regex(/^[^\s@<>"\u0000-\u001f\u007f]{1,64}@[^\s@<>"\u0000-\u001f\u007f]+$/, "is invalid");

/** An absolute web address, trimmed. */
export const webAddress = text.trim().refine(isWebAddress, "is invalid");

/** `true`/`false`, `1`/`0`, `yes`/`no`, in any case, or a JSON boolean. */
export const flag = z
  .union([z.boolean(), z.string(), z.number()], "is invalid")
  .transform((value, context) => {
    const known = FLAGS.get(String(value).trim().toLowerCase());
    if (known === undefined) context.addIssue("is invalid");
    return known ?? false;
  })
  .meta({ documentedAs: { type: "boolean" } });

/** A positive integer, as a number or as text. */
export const id = z
  .union([z.number(), z.string()], "is invalid")
  .transform((value) => (/^\d{1,15}$/.test(String(value).trim()) ? Number(value) : Number.NaN))
  .refine((value) => value > 0, "is invalid")
  .meta({ documentedAs: { type: "integer", minimum: 1 } });

/** A whole number within limits, as a number or as text. */
export const wholeNumber = (least: number, most: number) =>
  z
    .union([z.number(), z.string()], "is invalid")
    .transform((value) => (/^\d{1,4}$/.test(String(value).trim()) ? Number(value) : Number.NaN))
    .refine((value) => value >= least && value <= most, `must be from ${least} to ${most}`)
    .meta({ documentedAs: { type: "integer", minimum: least, maximum: most } });

/**
 * A signed amount, as a number or as text.
 *
 * @see docs/spec/money.md "Amounts"
 */
export const wholeAmount = z
  .union([z.number(), z.string()], "is invalid")
  .transform((value) => (/^[+-]?\d{1,12}$/.test(String(value).trim()) ? Number(value) : Number.NaN))
  .refine((value) => !Number.isNaN(value), "is not an integer")
  .meta({ documentedAs: { type: "integer" } });

/** A number of at least 0 with at most four decimals, in integer ten-thousandths. */
export const tenThousandths = decimal(4);

/** Accepts times with and without an offset. */
const ZONES = { offset: true, local: true };

/**
 * An ISO 8601 date or date-time, in UTC if it has no offset. Refuses impossible days, years before 1970 and
 * years of more than four digits.
 */
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
  // The year of an invalid date is NaN, so it fails both comparisons.
  .refine((value) => value.getUTCFullYear() >= 1970 && value.getUTCFullYear() <= 9999, "is invalid");

/** The calendar day (UTC) of a date or date-time. Its neighbours must have four-digit years too. */
export const calendarDay = instant
  .refine((value) => value.getUTCFullYear() >= 10 && value.getUTCFullYear() <= 9998, "is invalid")
  .transform((value) => value.toISOString().slice(0, 10));

/**
 * A JSON object, directly or as text. Text has not been checked against the limits of a JSON body yet, and a
 * value nested too deeply could not be written.
 */
export const jsonObject = z
  .custom<string | Record<string, unknown>>(
    (value) => typeof value === "string" || isObject(value),
    "is invalid",
  )
  .transform((value, context) => {
    const object = typeof value === "string" ? parseObject(value) : value;
    const fault = object === null ? "is not a JSON object" : (findExcess(object) ?? findExcessBytes(object));
    if (fault !== null) context.addIssue(fault);
    return object;
  })
  .meta({ documentedAs: { type: ["object", "string"], additionalProperties: true } });

/**
 * One or several values: a single one, a list, or `1,2`. Texts are not split, because they may contain
 * commas.
 */
export function listOf<S extends z.ZodType>(item: S) {
  const split = item instanceof z.ZodString ? asList : splitList;
  return z.preprocess(
    split,
    z.array(item, "is invalid").max(MAX_LISTED, `is too long (maximum is ${MAX_LISTED})`),
  );
}

/** Splits a list whose items have no commas: `1,2` has two. A single value is a list of one. */
export function splitList(value: unknown): unknown {
  const list = asList(value);
  if (!Array.isArray(list)) return list;
  return list.flatMap((item: unknown) => (typeof item === "string" ? partsOf(item) : [item]));
}

/** One of a closed set of words. */
export function oneOf<const W extends readonly string[]>(words: W) {
  return z.enum(words, `is not one of ${words.join(", ")}`);
}

/** The order of a list, in any case. */
export const direction = z
  .preprocess(
    (value) => (typeof value === "string" ? value.trim().toLowerCase() : value),
    oneOf(["asc", "desc"]),
  )
  .meta({ documentedAs: { type: "string", enum: ["asc", "desc"] } });

/**
 * A number with up to four decimals, given as a number or as text, in integers of the last place. Its digits
 * are read as text, because floats would turn 1.15 into 114 hundredths. The limit on digits keeps it within
 * safe integers.
 */
export function decimal(places: number, { isSigned = false } = {}) {
  const inWords = ["no", "at most one", "at most two", "at most three", "at most four"][places];
  const sign = isSigned ? "-?" : "";
  const decimals = places === 0 ? "" : `(?:\\.(\\d{1,${places}}))?`;
  const pattern = new RegExp(`^(${sign}\\d{1,${14 - places}})${decimals}$`);
  return z
    .union([z.number(), z.string()], "is invalid")
    .transform((value, context) => {
      const [, units, decimals = ""] = pattern.exec(String(value).trim()) ?? [];
      if (units === undefined) context.addIssue(`must be a number of ${inWords} decimals`);
      // Zero is never negative, so that equal amounts are equal.
      return Number(`${units ?? "0"}${decimals.padEnd(places, "0")}`) || 0;
    })
    .meta({ documentedAs: { type: "number", ...(!isSigned && { minimum: 0 }) } });
}

/** A percentage added to payouts, as a number or as text, in hundredths of a percent. */
export const taxRate = decimal(2)
  .refine((value) => value <= 10_000, "must be from 0 to 100")
  .meta({ documentedAs: { type: "number", minimum: 0, maximum: 100 } });

function partsOf(text: string): string[] {
  return text.includes(",") ? text.split(",").filter((part) => part.trim() !== "") : [text];
}

function asList(value: unknown): unknown {
  return Array.isArray(value) || value === undefined || value === null ? value : [value];
}

function parseObject(value: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(value);
    return isObject(parsed) ? parsed : null;
  } catch {
    return null; // Text that is not JSON is a validation error, like any value that is not an object.
  }
}

function findExcessBytes(object: Record<string, unknown>): string | null {
  const isTooLarge = Buffer.byteLength(JSON.stringify(object)) > CUSTOM_FIELDS_BYTES;
  return isTooLarge ? "is too large (maximum is 16 KiB)" : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWebAddress(value: string): boolean {
  return /^https?:\/\//i.test(value) && parseUrl(value) !== null;
}

/* Fields with the same meaning in several nouns and in both generations. */

export const refToken = field(
  z.string(),
  "The promoter's referral id, as in their links: lower-case letters, digits, `-` and `_`.",
  "jane",
);

export const referralLink = field(
  z.string(),
  "The promoter's referral link.",
  "https://www.example.com/?via=jane",
);

export const landingUrl = field(z.string(), "Page that referral links lead to.", "https://www.example.com/");

export const coupon = field(
  z.string().nullable(),
  "Code or id of the coupon at your billing provider.",
  "JANE10",
);

export const custId = field(
  z.string().nullable(),
  "Your own user id for the promoter. Webhooks carry it.",
  "user-4711",
);

export const uid = field(
  z.string().nullable(),
  "Your own id of the person, as your billing provider knows it. Later sales find the lead by it.",
  "cus_99",
);

export const tid = field(
  z.string(),
  "The visitor's id, from the cookie `_svc_tid`. It names the promoter who sent the visitor.",
  "7c9e6679-7425-40de-944b-e07fc1f90ae7",
);

export const subId = field(
  z.string().nullable(),
  "A channel of the promoter's own, such as a newsletter.",
  "newsletter-7",
);

export const customFields = field(
  z.record(z.string(), z.unknown()),
  "Fields of your own, as an object. In a form, write it as JSON.",
  {
    plan: "pro",
  },
);

export const ownData = field(
  z.record(z.string(), z.unknown()),
  "Further data of your own. In a form, write it as JSON.",
  { source: "spring" },
);
