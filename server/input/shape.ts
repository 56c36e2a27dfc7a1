import { z } from "zod";
import { Failure, type FieldErrors } from "../failure.ts";
import { numberText } from "../http/parameters/json.ts";

type Values = Record<string, unknown>;

/** The value that a blank field stands for. Undefined: not given. */
type Blank = (field: z.ZodType) => null | undefined;

/**
 * Reads parameters, or the values of a new record. Blank values count as not given, unlisted ones are
 * dropped, and JSON numbers count as their text.
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shapeInput<S extends z.ZodObject>(schema: S, values: Values): z.output<S> {
  return parse(
    schema,
    listed(schema, values, () => undefined),
  );
}

/**
 * Reads the changes to a record. A blank value clears a nullable field and is a fault in any other. Missing
 * fields stay unchanged.
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shapeChanges<S extends z.ZodObject>(schema: S, values: Values): z.output<S> {
  return parse(
    schema,
    listed(schema, values, () => null),
  );
}

/**
 * Reads changes from clients that send all fields of their form, filled in or not. A blank value counts as
 * not given if the field can't be cleared.
 * @throws Failure `invalid` naming every faulty field
 */
export function shapeFormChanges<S extends z.ZodObject>(schema: S, values: Values): z.output<S> {
  return parse(
    schema,
    listed(schema, values, (field) => (field.safeParse(null).success ? null : undefined)),
  );
}

/** One sentence for all faults of a record. */
export function describe(fields: FieldErrors): string {
  const faults = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => `${field} ${message}`),
  );
  return `Validation failed: ${faults.join(", ")}`;
}

function parse<S extends z.ZodObject>(schema: S, input: Values): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const fields: FieldErrors = {};
  for (const { path, message } of parsed.error.issues) {
    const messages = (fields[nameOf(path)] ??= []);
    const fault = isBlank(valueAt(input, path)) ? "can't be blank" : message;
    if (!messages.includes(fault)) messages.push(fault);
  }
  throw new Failure("invalid", describe(fields), fields);
}

/** Follows the schema, so that free-form objects keep their blanks and `__proto__` is never a parameter. */
function listed(schema: z.ZodObject, values: Values, blank: Blank): Values {
  const input: Values = {};
  for (const [name, field] of Object.entries(schema.shape) as [string, z.ZodType][]) {
    if (!Object.hasOwn(values, name)) continue;
    const given = values[name];
    const value = isBlank(given) ? blank(field) : listedValue(field, given, blank);
    if (value !== undefined) input[name] = value;
  }
  return input;
}

/** The names of values that are not in a schema, written as in a query: `filters[stauts]`. */
export function unlistedNames(schema: z.ZodObject, values: Values, within?: string): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = within === undefined ? name : `${within}[${name}]`;
    const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field === undefined) return [path];
    const inner = objectIn(field as z.ZodType);
    return inner === null || !isObject(value) ? [] : unlistedNames(inner, value, path);
  });
}

function listedValue(field: z.ZodType, value: unknown, blank: Blank): unknown {
  if (typeof value === "number") return numberText(value);
  if (!isObject(value)) return value;
  const schema = objectIn(field);
  return schema === null ? value : listed(schema, value, blank);
}

function objectIn(field: z.ZodType): z.ZodObject | null {
  if (field instanceof z.ZodObject) return field;
  if (field instanceof z.ZodPipe) return objectIn(field.in as z.ZodType);
  const isWrapper =
    field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault;
  return isWrapper ? objectIn(field.unwrap() as z.ZodType) : null;
}

/** Writes a name as in a query: `filters[status]`. List positions are left out. */
function nameOf([root = "base", ...inner]: PropertyKey[]): string {
  const names = inner.filter((part) => typeof part === "string");
  return [String(root), ...names.map((name) => `[${name}]`)].join("");
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    // A single value has no position, even if the schema turned it into a list.
    if (typeof part === "number" && !Array.isArray(value)) continue;
    value = (value as Record<PropertyKey, unknown> | undefined)?.[part];
  }
  return value;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
