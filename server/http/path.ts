import type { H3Event } from "h3";
import { Failure } from "../failure.ts";

/**
 * Turns the path of a request into the route that the client means: some clients join addresses with `//`,
 * and some end API paths with `.json`. A value that really ends with `.json` is written `%2Ejson`.
 */
export function tidyPath({ url, req }: H3Event): void {
  const { pathname } = url;
  if (!/\/\/|\.json$/.test(pathname)) return;
  const path = pathname.replaceAll(/\/{2,}/g, "/");
  // h3 has already decoded its path, so `%2E` is looked for in the URL as it came.
  const hasSuffix = path.startsWith("/api/") && /^[^?]*\.json(\?|$)/.test(req.url);
  url.pathname = hasSuffix ? path.replace(/\.json$/, "") : path;
}

/**
 * A decoded segment of the path: `a@b.c` and `a%40b.c` are the same. A `+` stands for itself in a path (RFC
 * 3986), and h3 leaves some escapes undecoded.
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
