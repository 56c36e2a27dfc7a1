import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";
import { MAX_KEYS } from "./json.ts";

/** A parameter as it was sent. A name may come more than once. */
export type Pair = [name: string, value: string];

const LIST_ITEM = /(\[\]|%5B%5D)$/i;

/** The parameters of the query string, one by one. @throws Failure `malformed` or `too_large` */
export function readPairs(event: H3Event): Pair[] {
  return pairsOf(event.url.search.slice(1));
}

/**
 * The parameters of a form or a query, one by one. node:querystring would hide malformed escapes, and
 * URLSearchParams would replace them.
 *
 * @throws Failure `malformed` or `too_large`
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

/**
 * The text fields of a multipart form, one by one. Choice: files are dropped because no parameter is a file.
 *
 * @throws Failure `malformed` or `too_large`
 */
export async function multipartPairs(body: string, contentType: string): Promise<Pair[]> {
  const pairs = await parseMultipart(body, contentType);
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

/** Items of a list (`ids[]=1`) share a key, so they are not counted. */
function refuseTooMany(pairs: Pair[]): void {
  if (pairs.filter(([name]) => !LIST_ITEM.test(name)).length > MAX_KEYS)
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
