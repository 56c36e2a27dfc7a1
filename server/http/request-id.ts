import { randomUUID } from "node:crypto";
import type { H3Event } from "h3";

const ids = new WeakMap<H3Event, string>();

/** The id of a request in the log: our own, as one that a client sends could hold anything. */
export function requestId(event: H3Event): string {
  const known = ids.get(event);
  if (known !== undefined) return known;
  const id = randomUUID();
  ids.set(event, id);
  return id;
}

/** The pattern of the route that a request goes to, which may stand in the log as its path may not. */
export function routeOf(event: H3Event): string {
  return event.context.matchedRoute?.route ?? "none";
}
