import type { H3Event } from "h3";
import { Failure } from "../failure.ts";

/**
 * Makes a function that normalises the path of a request: some clients join URLs with `//`, some append `.json` to API
 * paths, some write them in capitals, and old ones call V1's leads `/lead`. A value that really ends with `.json` is
 * written `%2Ejson`.
 *
 * The path of the public address, `base`, is removed. Requests without it are served too, because a proxy may have removed
 * it, and health checks come directly.
 */
export function pathTidier(base: string, routes: string[]): (event: H3Event) => void {
  const patterns = routes.filter((route) => route.startsWith("/api/")).map((route) => route.split("/"));
  return ({ url, req }) => {
    if (base !== "" && `${url.pathname}/`.startsWith(`${base}/`)) {
      url.pathname = url.pathname.slice(base.length) || "/";
    }
    const { pathname } = url;
    if (!/\/\/|\.json$|[A-Z]|\/lead\//.test(pathname)) return;
    let path = pathname.replaceAll(/\/{2,}/g, "/");
    if (/^\/api\//i.test(path)) {
      // h3 has already decoded its path, so `%2E` is only visible in the raw URL.
      if (/^[^?]*\.json(\?|$)/i.test(req.url)) path = path.replace(/\.json$/i, "");
      path = path.replace(/^\/api\/v1\/lead\//i, "/api/v1/leads/");
      if (/[A-Z]/.test(path)) path = withoutCapitals(path, patterns);
    }
    if (path !== pathname) url.pathname = path;
  };
}

/** The path with the words of its route in lower case. Ids keep their case. */
function withoutCapitals(path: string, patterns: string[][]): string {
  const parts = path.split("/");
  const fits = (words: string[]) => (pattern: string[]) =>
    pattern.length === words.length &&
    pattern.every((part, at) => part.startsWith(":") || part === words[at]);
  if (patterns.some(fits(parts))) return path;
  const small = parts.map((part) => part.toLowerCase());
  const meant = patterns.filter(fits(small)).toSorted((a, b) => idCount(a) - idCount(b))[0];
  return meant === undefined
    ? path
    : parts.map((part, at) => (meant[at] === small[at] ? small[at] : part)).join("/");
}

function idCount(pattern: string[]): number {
  return pattern.filter((part) => part.startsWith(":")).length;
}

/**
 * A decoded segment of the path: `a@b.c` and `a%40b.c` are the same. A `+` is literal in a path (RFC 3986), and h3 leaves
 * some escapes undecoded.
 *
 * @throws Failure `malformed`
 */
export function readPathSegment(event: H3Event, name: string): string {
  try {
    return decodeURIComponent(event.context.params?.[name] ?? "");
  } catch {
    throw new Failure("malformed", "The path is not valid percent-encoded UTF-8");
  }
}
