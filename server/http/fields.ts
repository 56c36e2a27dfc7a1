import { z } from "zod";

/**
 * A field with its meaning, for readers of `/openapi.json`: a description, or another field that means the same. An
 * example is needed unless the schema implies one: closed sets of words, dates and booleans do.
 */
export function field<S extends z.ZodType>(schema: S, meaning: string | z.ZodType, example?: unknown): S {
  if (typeof meaning !== "string") return schema.meta(meaningOf(meaning));
  // Not in `examples`, because zod drops those of inputs that it transforms.
  return schema.meta({ description: meaning, ...(example !== undefined && { example }) });
}

function meaningOf(field: z.ZodType): Record<string, unknown> {
  const isWrapper = field instanceof z.ZodOptional || field instanceof z.ZodNullable;
  const { description, example } = field.meta() ?? {};
  if (description === undefined && isWrapper) return meaningOf(field.unwrap() as z.ZodType);
  return { description, ...(example !== undefined && { example }) };
}

/** The id of the record that holds it. */
export const recordId = field(z.int(), "Id of the record.", 17);

/** When the record that holds it was created. */
export const createdAt = field(z.iso.datetime(), "When the record was created.");

/** A sentence about what happened. */
export const message = field(z.string(), "What happened, for people.", "Validation failed: email is invalid");
