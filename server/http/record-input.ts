import type { z } from "zod";
import { Failure, type FieldErrors } from "../failure.ts";
import { describe } from "./shape.ts";

type Values = Record<string, unknown>;

/**
 * What a new record is made of: blank values count as absent, unlisted ones are dropped.
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shapeCreation<S extends z.ZodType>(schema: S, body: Values): z.output<S> {
  return parse(schema, entriesOf(body).filter(isGiven));
}

/**
 * What changes in a record: a blank value is null, which clears a field whose schema allows it. What
 * is not given stays.
 *
 * @throws Failure `invalid` naming every faulty field
 */
export function shapeChanges<S extends z.ZodType>(schema: S, body: Values): z.output<S> {
  return parse(
    schema,
    entriesOf(body).map(([name, value]) => [name, isBlank(value) ? null : value]),
  );
}

/**
 * The parameters of a nested query, blank ones absent on every level.
 *
 * @throws Failure `invalid` naming every faulty parameter
 */
export function shapeQuery<S extends z.ZodType>(schema: S, query: Values): z.output<S> {
  return parse(schema, Object.entries(withoutBlanks(query) as Values));
}

/** Made of entries, so that a value named `__proto__` lends nothing to the others. */
function parse<S extends z.ZodType>(schema: S, entries: [string, unknown][]): z.output<S> {
  const input = Object.fromEntries(entries);
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

/** As queries write it: `filters[state]`. Places in lists are left out. */
function nameOf([root = "base", ...inner]: PropertyKey[]): string {
  const names = inner.filter((part) => typeof part === "string");
  return [String(root), ...names.map((name) => `[${name}]`)].join("");
}

function valueAt(input: unknown, path: PropertyKey[]): unknown {
  let value = input;
  for (const part of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[part];
  return value;
}

function withoutBlanks(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.filter((inner) => !isBlank(inner)).map(withoutBlanks);
  return Object.fromEntries(
    entriesOf(value as Values)
      .filter(isGiven)
      .map(([name, inner]) => [name, withoutBlanks(inner)]),
  );
}

function entriesOf(values: Values): [string, unknown][] {
  return Object.entries(values);
}

function isGiven([, value]: [string, unknown]): boolean {
  return !isBlank(value);
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}
