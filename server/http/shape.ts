import { z } from "zod";
import { Failure, type FieldErrors } from "../failure.ts";
import { numberText } from "./json.ts";

/**
 * The value that a schema makes of the parameters; blank ones count as absent, unlisted ones are dropped,
 * JSON's numbers count as their text.
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shape<S extends z.ZodType>(schema: S, params: Record<string, unknown>): z.output<S> {
  return parse(schema, withoutBlanks(params), fieldName);
}

/**
 * The changes that a schema makes of an update, whole or partial: a blank value, and null, clears a field
 * that may be null, and counts as not given elsewhere, since clients send all of their form's fields.
 *
 * @throws Failure `invalid` naming every faulty field, those of inner objects with a dot
 */
export function shapeChanges<S extends z.ZodObject>(schema: S, params: Record<string, unknown>): z.output<S> {
  return parse(schema, cleared(schema, params), (path) => path.join(".") || "base");
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
    } else values.push([name, typeof value === "number" ? numberText(value) : value]);
  }
  return Object.fromEntries(values);
}

/** As a query writes it: `filters[status]`. Places in lists are left out. */
function fieldName([first = "base", ...rest]: PropertyKey[]): string {
  const names = rest.filter((name) => typeof name === "string");
  return String(first) + names.map((name) => `[${name}]`).join("");
}

/** One sentence for all faults of a record. */
export function describe(fields: FieldErrors): string {
  const faults = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  );
  return `Validation failed: ${faults.join(", ")}`;
}

function parse<S extends z.ZodType>(
  schema: S,
  params: Record<string, unknown>,
  nameOf: (path: PropertyKey[]) => string,
): z.output<S> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const fields: FieldErrors = {};
  for (const issue of parsed.error.issues) {
    (fields[nameOf(issue.path)] ??= []).push(issue.message);
  }
  throw new Failure("invalid", describe(fields), fields);
}

/** Without a prototype, so that what hangs on a parameter named `__proto__` is no parameter. */
function withoutBlanks(params: Record<string, unknown>): Record<string, unknown> {
  const given = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(params)) {
    if (!isBlank(value)) given[name] = typeof value === "number" ? numberText(value) : value;
  }
  return given;
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === "string" && value.trim() === "");
}
