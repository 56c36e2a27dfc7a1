import type { H3Event } from "h3";
import { Failure } from "../failure.ts";

/**
 * Makes the path of a request the route that it means: clients join addresses to `//`, and end those of
 * the interface in `.json`. A value that ends so is written `%2Ejson`.
 */
export function tidyPath({ url, req }: H3Event): void {
  const { pathname } = url;
  if (!/\/\/|\.json$/.test(pathname)) return;
  const path = pathname.replaceAll(/\/{2,}/g, "/");
  // h3 has unescaped the path already.
  const hasSuffix = path.startsWith("/api/") && /^[^?]*\.json(\?|$)/.test(req.url);
  url.pathname = hasSuffix ? path.replace(/\.json$/, "") : path;
}

/**
 * A segment of the path, raw or percent-encoded alike: `a@b.c`, `a%40b.c`. A `+` stands for itself
 * there (RFC 3986), and h3 leaves some escapes as they came.
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
