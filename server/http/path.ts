import type { H3Event } from "h3";
import { Failure } from "../failure.ts";

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
