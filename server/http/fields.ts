import { z } from "zod";

/**
 * A field with its description for `/openapi.json`, or another field whose description it shares. It needs an example
 * unless the schema implies one, as enums, dates and booleans do.
 */
export function field<S extends z.ZodType>(schema: S, meaning: string | z.ZodType, example?: unknown): S {
  if (typeof meaning !== "string") return schema.meta(meaningOf(meaning));
  // Not in `examples`, because zod drops the examples of transformed inputs.
  return schema.meta({ description: meaning, ...(example !== undefined && { example }) });
}

function meaningOf(field: z.ZodType): Record<string, unknown> {
  const isWrapper = field instanceof z.ZodOptional || field instanceof z.ZodNullable;
  const { description, example } = field.meta() ?? {};
  if (description === undefined && isWrapper) return meaningOf(field.unwrap() as z.ZodType);
  return { description, ...(example !== undefined && { example }) };
}

/** The id of a record. */
export const recordId = field(z.int(), "Id of the record.", 17);

/** The creation time of a record. */
export const createdAt = field(z.iso.datetime(), "When the record was created.");

/**
 * An instant of a promoter, a promoter campaign, a referral, a commission or a payout in V2.
 *
 * @see docs/spec/common.md "Answers"
 */
export const second = z.iso.datetime({ precision: 0 }).meta({ example: "2026-03-01T09:30:00Z" });

/** The creation time of such a record. */
export const createdSecond = field(second, createdAt);

/** Leaves out the fraction of an instant, because clients of V2 read whole seconds and stop at anything else. */
export function wholeSecond<T extends string | null>(instant: T): T | string {
  return instant === null ? instant : `${instant.slice(0, "2026-03-01T09:30:00".length)}Z`;
}

/** The message of an answer. */
export const message = field(z.string(), "What happened, for people.", "Validation failed: email is invalid");
