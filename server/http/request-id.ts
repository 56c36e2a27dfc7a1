import { randomUUID } from "node:crypto";
import type { H3Event } from "h3";

const ids = new WeakMap<H3Event, string>();

/** The id of a request in the log. We make it ourselves, because a client's id could hold anything. */
export function requestId(event: H3Event): string {
  const known = ids.get(event);
  if (known !== undefined) return known;
  const id = randomUUID();
  ids.set(event, id);
  return id;
}

/**
 * The pattern of a request's route. The log may hold it, but not the path, which may contain personal data.
 */
export function routeOf(event: H3Event): string {
  return event.context.matchedRoute?.route ?? "none";
}
