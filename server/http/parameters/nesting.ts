import { Failure } from "../../failure.ts";

/** A parameter as it was sent. A name may come more than once. */
export type Pair = [name: string, value: string];

/** A query's value: a text, a list, or values by name. */
export type QueryValue = string | QueryValue[] | { [name: string]: QueryValue };
export type Query = Record<string, QueryValue>;

const MAX_DEPTH = 4;
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/**
 * Reads brackets in names as lists and objects: `ids[]=1&ids[]=2`, `ids[0]=1` and `ids=1&ids=2` are lists,
 * `filters[status]=x` is an object. `ids[7]` and `ids[3]` keep the order in which they came. h3 and
 * URLSearchParams do not nest.
 *
 * Choice: a single-value parameter that came twice becomes a list too, which its schema refuses.
 *
 * @throws Failure `too_large` if names are nested too deeply
 */
export function nest(pairs: Pair[]): Query {
  const query = emptyQuery();
  for (const [name, value] of pairs) put(query, pathOf(name), value);
  return lists(query) as Query;
}

/** A name without proper brackets stands for itself. */
function pathOf(name: string): string[] {
  const [, root, brackets] = NAME.exec(name) ?? [];
  if (root === undefined || brackets === undefined) return [name];
  const path = [root, ...[...brackets.matchAll(/\[([^\]]*)\]/g)].map(([, inner]) => inner ?? "")];
  if (path.length > MAX_DEPTH) throw new Failure("too_large", "A parameter is nested too deeply");
  return path;
}

type Tree = { [name: string]: Tree | string };

function put(query: Query, path: string[], value: string): void {
  let tree = query as Tree;
  for (const name of path.slice(0, -1)) tree = treeAt(tree, name);
  const last = path.at(-1) ?? "";
  if (last === "") append(tree, value);
  else if (last in tree) append(treeAt(tree, last), value);
  else tree[last] = value;
}

/** The values below a name. A value that stood alone becomes the first of a list. */
function treeAt(tree: Tree, name: string): Tree {
  const known = tree[name];
  if (typeof known === "object") return known;
  const inner = emptyQuery() as Tree;
  if (known !== undefined) inner["0"] = known;
  tree[name] = inner;
  return inner;
}

function append(tree: Tree, value: string): void {
  let index = Object.keys(tree).length;
  while (String(index) in tree) index++;
  tree[String(index)] = value;
}

/** Objects whose names are all numbers are lists. */
function lists(value: QueryValue): QueryValue {
  if (typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name))) {
    return entries.map(([, inner]) => lists(inner));
  }
  const tree = emptyQuery();
  for (const [name, inner] of entries) tree[name] = lists(inner);
  return tree;
}

function emptyQuery(): Query {
  return Object.create(null) as Query;
}
