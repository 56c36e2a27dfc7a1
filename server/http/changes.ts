import { z } from "zod";
import { Failure, type FieldErrors } from "../failure.ts";
import { describe } from "./fields.ts";

/**
 * The value that a schema makes of a partial body. Blank text, and null, clear a field where the
 * schema allows null; elsewhere they count as not given, since clients send all of their form's
 * fields. Unlisted fields are dropped.
 *
 * @throws Failure `invalid` naming every faulty field, those of inner objects with a dot
 */
export function shapeChanges<S extends z.ZodObject>(schema: S, params: Record<string, unknown>): z.output<S> {
  const parsed = schema.safeParse(cleared(schema, params));
  if (parsed.success) return parsed.data;
  const fields: FieldErrors = {};
  for (const { path, message } of parsed.error.issues) {
    (fields[path.join(".") || "base"] ??= []).push(message);
  }
  throw new Failure("invalid", describe(fields), fields);
}

function cleared(schema: z.ZodObject, params: Record<string, unknown>): Record<string, unknown> {
  const values: [string, unknown][] = [];
  for (const [name, value] of Object.entries(params)) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
    if (field === undefined) continue;
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    if (isBlank(value)) {
      if (field.safeParse(null).success) values.push([name, null]);
    } else if (inner instanceof z.ZodObject && typeof value === "object" && !Array.isArray(value)) {
      values.push([name, cleared(inner, value as Record<string, unknown>)]);
    } else values.push([name, value]);
  }
  return Object.fromEntries(values);
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}
