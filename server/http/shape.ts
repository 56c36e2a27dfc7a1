import type { z } from "zod";
import { Failure, type FieldErrors } from "../failure.ts";
import { numberText } from "./json.ts";

/**
 * The value that a schema makes of the parameters; blank ones count as absent, unlisted ones are dropped,
 * JSON's numbers count as their text.
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

function parse<S extends z.ZodType>(schema: S, params: Record<string, unknown>): z.output<S> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const fields: FieldErrors = {};
  for (const issue of parsed.error.issues) {
    (fields[fieldName(issue.path)] ??= []).push(issue.message);
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
