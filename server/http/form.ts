import type { H3Event } from "h3";
import { Failure } from "../failure.ts";
import { readBody } from "./body.ts";
import { MAX_KEYS, numberText, parseJsonObject } from "./json.ts";

/**
 * Parameters by name. Of a name that came twice, the last value counts. Text, but for a JSON number that
 * text cannot give as it was meant.
 */
export type Params = Record<string, string | number>;

const LIST_ITEM = /^[^=]*(\[\]|%5B%5D)=/i;

/** Query and form are read alike: sendBeacon and fetch call a plain string `text/plain`. */
const FORM_TYPES = new Set(["application/x-www-form-urlencoded", "text/plain"]);

/**
 * The query string's parameters and the body's together; the body wins.
 *
 * Choice: JSON bodies are taken as well, as some clients of V1 send them; nested values are given as
 * their JSON text. @see gaps "V1", input
 *
 * @throws Failure `malformed` or `too_large`
 */
export async function readParams(event: H3Event): Promise<Params> {
  const params = readQuery(event);
  if (event.req.method === "GET" || event.req.method === "HEAD") return params;
  const body = await readBody(event);
  if (body === "") return params;
  const type = mediaType(event);
  if (type === "application/json") return Object.assign(params, flatten(parseJsonObject(body)));
  if (type !== "" && !FORM_TYPES.has(type)) {
    throw new Failure("malformed", "The content type is not understood; send a form or JSON");
  }
  return Object.assign(params, parseForm(body));
}

/** The parameters of the query string. @throws Failure `malformed` */
export function readQuery(event: H3Event): Params {
  const { search } = event.url;
  return search.length > 1 ? parseForm(search.slice(1)) : emptyParams();
}

/** The query string's parameters one by one, as names may come more than once. @throws Failure `malformed` */
export function readPairs(event: H3Event): [name: string, value: string][] {
  return pairsOf(event.url.search.slice(1));
}

/** Written out because node:querystring hides malformed escapes, and URLSearchParams replaces them. */
function pairsOf(text: string): [name: string, value: string][] {
  const pairs = text.split("&").filter((pair) => pair !== "");
  // Items of a list (`ids[]=1`) share one key.
  if (pairs.filter((pair) => !LIST_ITEM.test(pair)).length > MAX_KEYS)
    throw new Failure("too_large", `More than ${MAX_KEYS} parameters`);
  return pairs.map((pair) => {
    const at = pair.indexOf("=");
    if (at === -1) return [decode(pair), ""];
    return [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
  });
}

function parseForm(text: string): Params {
  const params = emptyParams();
  for (const [name, value] of pairsOf(text)) params[name] = value;
  return params;
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new Failure("malformed", "A parameter is not valid percent-encoded UTF-8");
  }
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

/** Without a prototype, so that a parameter named `__proto__` is one like all others. */
function emptyParams(): Params {
  return Object.create(null) as Params;
}

function mediaType(event: H3Event): string {
  return (event.req.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}
