import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";
import { storableIn } from "../../storage/storable.ts";
import { readBody } from "./body.ts";
import { bodyType, MAX_KEYS, multipartPairs, nest, pairsOf } from "./pairs.ts";

/** The maximum depth of objects and lists. */
const MAX_DEPTH = 16;

/**
 * The JSON object in a request's body, or an empty one if there is no body. A form is read as the object that the brackets
 * in its names describe.
 *
 * @see docs/spec/common.md "Input"
 * @throws Failure `malformed` if the body is not a JSON object, `too_large` past a limit
 */
export async function readJson(event: H3Event, maxBytes?: number): Promise<Record<string, unknown>> {
  const body = await readBody(event, maxBytes);
  const values = body.trim() === "" ? {} : await objectIn(event, body);
  bodies.set(event, values);
  return values;
}

const FORM = "application/x-www-form-urlencoded";

/** The JSON object that was already read from a request, or null. */
export function knownJson(event: H3Event): Record<string, unknown> | null {
  return bodies.get(event) ?? null;
}

const bodies = new WeakMap<H3Event, Record<string, unknown>>();

/** Parses a JSON object. @throws Failure `malformed` or `too_large` */
export function parseJsonObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Failure("malformed", "The body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Failure("malformed", "The body is not a JSON object");
  }
  const excess = findExcess(value);
  if (excess !== null) throw new Failure("too_large", `The body ${excess}`);
  return storableIn(text, value as Record<string, unknown>);
}

/**
 * Says which limit on depth or keys a value exceeds, as the end of a sentence, or returns null. It goes level by level, so
 * that deep values can't overflow the stack.
 */
export function findExcess(root: object): string | null {
  let keyCount = 0;
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `is nested too deeply (maximum is ${MAX_DEPTH} levels)`;
    const values = level.flatMap((value): unknown[] => Object.values(value));
    // Items of a list have no keys; the body's size limits their number.
    for (const value of level) if (!Array.isArray(value)) keyCount += Object.keys(value).length;
    if (keyCount > MAX_KEYS) return `has too many keys (maximum is ${MAX_KEYS})`;
    level = values.filter((value): value is object => typeof value === "object" && value !== null);
  }
  return null;
}

/**
 * A number's decimal text. A number that JSON's parser may have rounded (an integer past 2^53, an infinity) stays a
 * number, which no text field accepts, because a rounded id would be another record's.
 */
export function numberText(value: number): string | number {
  return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
    ? String(value)
    : value;
}

/** `curl -d` sends JSON with a form's type by default, so a form that begins like an object is read as JSON. */
async function objectIn(event: H3Event, body: string): Promise<Record<string, unknown>> {
  const type = bodyType(event);
  if (type === "multipart/form-data") return { ...nest(await multipartPairs(event, body)) };
  if (type === FORM && !/^\s*[{[]/.test(body)) return { ...nest(pairsOf(body)) };
  return nestKeys(parseJsonObject(body));
}

type Values = Record<string, unknown>;

/** `name[inner]`, `name[inner][more]`. */
const NESTED_KEY = /^([^[\]]+)((?:\[[^[\]]+\]){1,3})$/;

/**
 * Reads keys that are written as in a form: `{"profile[first_name]": "Jane"}` is `{"profile": {"first_name": "Jane"}}`. An
 * automation tool sends them. A key that contradicts another one stays unchanged.
 */
function nestKeys(values: Values): Values {
  const keys = Object.keys(values).filter((key) => NESTED_KEY.test(key));
  if (keys.length === 0) return values;
  const nested: Values = { ...values };
  for (const key of keys) {
    const place = placeOf(nested, key);
    if (place === null) continue;
    delete nested[key];
    define(place.within, place.name, values[key]);
  }
  return nested;
}

/**
 * The object that a key's value belongs to, created if it is missing, or null if another value is in its place.
 */
function placeOf(root: Values, key: string): { within: Values; name: string } | null {
  const [, first = "", brackets = ""] = NESTED_KEY.exec(key) ?? [];
  const path = [first, ...brackets.slice(1, -1).split("][")];
  let within = root;
  for (const name of path.slice(0, -1)) {
    const known = Object.hasOwn(within, name) ? within[name] : {};
    if (typeof known !== "object" || known === null || Array.isArray(known)) return null;
    const copy = { ...known } as Values;
    define(within, name, copy);
    within = copy;
  }
  const name = path.at(-1) ?? "";
  return Object.hasOwn(within, name) ? null : { within, name };
}

/** Sets a property of any name. An assignment to `__proto__` would do something else. */
function define(within: Values, name: string, value: unknown): void {
  Object.defineProperty(within, name, { value, enumerable: true, writable: true, configurable: true });
}
