import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";
import { readBody } from "./body.ts";
import { numberText, parseJsonObject } from "./json.ts";
import { bodyType, multipartPairs, nest, pairsOf, type Pair, type Query } from "./pairs.ts";

/**
 * Parameters by name. If a name came twice, the last value is used. Values are text, except for a JSON number that may
 * have been rounded.
 */
export type Params = Record<string, string | number>;

/** A `text/plain` body is read like a form, because sendBeacon and fetch give that type to a plain string. */
const FORM_TYPES = new Set(["application/x-www-form-urlencoded", "text/plain", ""]);

/**
 * The parameters of the query string and of the body; the body takes precedence. A GET may have a body too: PHP's Guzzle
 * and `curl -X GET -d` send one.
 *
 * Nested values, from JSON or from names in brackets (`custom_fields[a]=1`), become JSON text.
 *
 * @see docs/spec/v1.md, first paragraph
 * @throws Failure `malformed`, `too_large` or `unsupported`
 */
export async function readParams(event: H3Event): Promise<Params> {
  const params = readQuery(event);
  const { pairs, json } = await readGiven(event);
  return Object.assign(params, flatPairs(pairs), flatten(json));
}

/**
 * The same parameters with lists and objects as they are: `ids[]=1&ids[]=2` is a list.
 *
 * @throws Failure `malformed`, `too_large` or `unsupported`
 */
export async function readNestedParams(event: H3Event): Promise<Record<string, unknown>> {
  const query = readNestedQuery(event);
  const { pairs, json } = await readGiven(event);
  return { ...query, ...nest(pairs), ...json };
}

/** The parameters of the query string. @throws Failure `malformed` */
export function readQuery(event: H3Event): Params {
  return event.url.search.length > 1 ? flatPairs(queryPairs(event)) : emptyParams();
}

/**
 * The parameters of the query string with lists and objects as they are. Blank values count as missing on every level.
 *
 * @throws Failure `malformed` or `too_large`
 */
export function readNestedQuery(event: H3Event): Query {
  return nest(queryPairs(event).filter(([, value]) => value.trim() !== ""));
}

/** The values in a body: a form's pairs or a JSON object. */
async function readGiven(event: H3Event): Promise<{ pairs: Pair[]; json: Record<string, unknown> }> {
  const body = await readBody(event);
  if (body === "") return { pairs: [], json: {} };
  const type = bodyType(event);
  if (type === "application/json") return { pairs: [], json: parseJsonObject(body) };
  if (type === "multipart/form-data") return { pairs: await multipartPairs(event, body), json: {} };
  if (FORM_TYPES.has(type)) return { pairs: pairsOf(body), json: {} };
  throw new Failure("malformed", "The content type is not understood; send a form or JSON");
}

function queryPairs(event: H3Event): Pair[] {
  return pairsOf(event.url.search.slice(1));
}

function flatPairs(pairs: Pair[]): Params {
  const params = emptyParams();
  const bracketed: Pair[] = [];
  for (const pair of pairs) {
    const [name, value] = pair;
    if (name.includes("[")) bracketed.push(pair);
    else params[name] = value;
  }
  return bracketed.length === 0 ? params : Object.assign(params, flatten(nest(bracketed)));
}

function flatten(values: Record<string, unknown>): Params {
  const params = emptyParams();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === "string") params[name] = value;
    else if (typeof value === "number") params[name] = numberText(value);
    else if (value !== null) params[name] = JSON.stringify(value);
  }
  return params;
}

/** Has no prototype, so that `__proto__` is a parameter name like any other. */
function emptyParams(): Params {
  return Object.create(null) as Params;
}
