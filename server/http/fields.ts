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

/** The message of an answer. */
export const message = field(z.string(), "What happened, for people.", "Validation failed: email is invalid");
