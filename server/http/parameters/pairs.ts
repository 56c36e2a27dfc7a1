import type { H3Event } from "h3";
import { Failure } from "../../failure.ts";
import { storable } from "../../storage/storable.ts";

/** A parameter as it was sent. A name may be repeated. */
export type Pair = [name: string, value: string];

/** A query's value: a text, a list, or values by name. */
export type QueryValue = string | QueryValue[] | { [name: string]: QueryValue };
export type Query = Record<string, QueryValue>;

/** The maximum number of keys in a request, on all levels. */
export const MAX_KEYS = 500;

const MAX_DEPTH = 6;
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/** The media type of a request's body, without its parameters, or "" if there is none. */
export function bodyType(event: H3Event): string {
  return (event.req.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * Parses a form or a query. node:querystring would hide malformed escapes, and URLSearchParams would replace them.
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

/** The text fields of a multipart form. Files are dropped, because no parameter is a file. */
export async function multipartPairs(event: H3Event, body: string): Promise<Pair[]> {
  const pairs = await parseMultipart(body, event.req.headers.get("content-type") ?? "");
  refuseTooMany(pairs);
  return pairs;
}

/**
 * Reads brackets in names as lists and objects: `ids[]=1&ids[]=2`, `ids[0]=1` and `ids=1&ids=2` are lists,
 * `filters[status]=x` is an object. `links[][name]=a&links[][url]=b` is a list of objects: a repeated name begins the next
 * object. `ids[7]` and `ids[3]` keep the order in which they came. h3 and URLSearchParams do not nest.
 *
 * A single-value parameter that came twice becomes a list too, which its schema refuses.
 *
 * @throws Failure `too_large` if names are nested too deeply
 */
export function nest(pairs: Pair[]): Query {
  const tree: Tree = new Map();
  for (const [name, value] of pairs) put(tree, pathOf(name), value);
  return objectOf(tree);
}

async function parseMultipart(body: string, contentType: string): Promise<Pair[]> {
  try {
    const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
    const texts = [...form].filter((field): field is Pair => typeof field[1] === "string");
    return texts.map(([name, value]) => [storable(name), storable(value)]);
  } catch {
    throw new Failure("malformed", "The body is not valid multipart/form-data");
  }
}

/** The items of a list (`ids[]=1&ids[]=2`, `ids=1&ids=2`) count as one key. */
function refuseTooMany(pairs: Pair[]): void {
  if (new Set(pairs.map(([name]) => name)).size > MAX_KEYS)
    throw new Failure("too_large", `More than ${MAX_KEYS} parameters`);
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return storable(spaced);
  try {
    return storable(decodeURIComponent(spaced));
  } catch {
    throw new Failure("malformed", "A parameter is not valid percent-encoded UTF-8");
  }
}

/** A name without well-formed brackets is used as it is. */
function pathOf(name: string): string[] {
  const [, root, brackets] = NAME.exec(name) ?? [];
  if (root === undefined || brackets === undefined) return [name];
  const path = [root, ...[...brackets.matchAll(/\[([^\]]*)\]/g)].map(([, inner]) => inner ?? "")];
  if (path.length > MAX_DEPTH) throw new Failure("too_large", "A parameter is nested too deeply");
  return path;
}

/** Values by name, in the order in which they came. An item without a name has a number instead. */
type Tree = Map<string | number, Tree | string>;

function put(root: Tree, path: string[], value: string): void {
  let tree = root;
  path
    .slice(0, -1)
    .forEach((name, at) => (tree = treeAt(tree, name === "" ? itemFor(tree, path[at + 1]) : name)));
  const last = path.at(-1) ?? "";
  if (last === "") append(tree, value);
  else if (tree.has(last)) append(treeAt(tree, last), value);
  else tree.set(last, value);
}

/** The index of the list item for a value of this name: the last item, or a new one if the last has such a value. */
function itemFor(list: Tree, name: string | undefined): number {
  const last = list.get(list.size - 1);
  const isOpen = typeof last === "object" && name !== undefined && !last.has(name);
  return isOpen ? list.size - 1 : list.size;
}

/** The values below a name. A single value becomes the first of a list. */
function treeAt(tree: Tree, name: string | number): Tree {
  const known = tree.get(name);
  if (typeof known === "object") return known;
  const inner: Tree = new Map();
  if (known !== undefined) append(inner, known);
  tree.set(name, inner);
  return inner;
}

/** Nothing is ever removed, so the size is a free index. */
function append(tree: Tree, value: string): void {
  tree.set(tree.size, value);
}

/** A tree whose names are all numbers is a list. */
function valueOf(tree: Tree | string): QueryValue {
  if (typeof tree === "string") return tree;
  const isList = [...tree.keys()].every((name) => /^\d+$/.test(String(name)));
  return isList ? [...tree.values()].map(valueOf) : objectOf(tree);
}

/** Has no prototype, so that `__proto__` is a name like any other. */
function objectOf(tree: Tree): Query {
  const query = Object.create(null) as Query;
  for (const [name, inner] of tree) query[name] = valueOf(inner);
  return query;
}
