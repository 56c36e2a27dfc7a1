import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";
import type { Pair } from "./nesting.ts";

/** The most keys that a request may have, counted on all levels. */
export const MAX_KEYS = 500;

/** The type of a request's body, without its parameters. Blank: none is given. */
export function bodyType(event: H3Event): string {
  return (event.req.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * The parameters of a form or a query, one by one. node:querystring would hide malformed escapes, and
 * URLSearchParams would replace them.
 */
export function pairsOf(text: string): Pair[] {
  const pairs = text
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): Pair => {
      const at = pair.indexOf("=");
      return at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    });
  refuseTooMany(pairs);
  return pairs.map(([name, value]) => [decode(name), decode(value)]);
}

/** The text fields of a multipart form. Choice: files are dropped because no parameter is a file. */
export async function multipartPairs(event: H3Event, body: string): Promise<Pair[]> {
  const pairs = await parseMultipart(body, event.req.headers.get("content-type") ?? "");
  refuseTooMany(pairs);
  return pairs;
}

async function parseMultipart(body: string, contentType: string): Promise<Pair[]> {
  try {
    const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
    return [...form].filter((field): field is Pair => typeof field[1] === "string");
  } catch {
    throw new Failure("malformed", "The body is not valid multipart/form-data");
  }
}

/** The items of a list (`ids[]=1&ids[]=2`, `ids=1&ids=2`) share a name, which counts once. */
function refuseTooMany(pairs: Pair[]): void {
  if (new Set(pairs.map(([name]) => name)).size > MAX_KEYS)
    throw new Failure("too_large", `More than ${MAX_KEYS} parameters`);
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
