import { randomUUID } from "node:crypto";
import type { H3Event } from "h3";
import { Failure } from "../failure.ts";
import { NO_STORE, type AnswerHeaders } from "../http/answer.ts";
import { bugAnswer, type ErrorShape, type Generation } from "../http/errors.ts";
import type { Services } from "./services.ts";

/** An error, and the form in which the route answers it. */
export interface Refusal {
  error: unknown;
  generation: Generation;
  shape: ErrorShape;
  headers: AnswerHeaders;
}

/** The answer to any error of a handler: a refusal in the route's shape, or a logged bug with 500. */
export function refuse(services: Services, event: H3Event, refusal: Refusal): Response {
  const { error } = refusal;
  const headers = { ...NO_STORE, ...refusal.headers };
  if (error instanceof Failure) {
    if (error.kind === "unavailable") services.logOutage(error);
    return refusal.shape(error, headers);
  }
  const id = requestId(event);
  const { method } = event.req;
  services.log.error({ requestId: id, method, route: routeOf(event), err: error }, "bug");
  return bugAnswer(refusal.generation, id, headers);
}

const ids = new WeakMap<H3Event, string>();

/** The id of a request in the log. The server generates it, because a client's id could contain anything. */
export function requestId(event: H3Event): string {
  const known = ids.get(event);
  if (known !== undefined) return known;
  const id = randomUUID();
  ids.set(event, id);
  return id;
}

/** The pattern of a request's route, for the log. The path itself may contain personal data. */
function routeOf(event: H3Event): string {
  return event.context.matchedRoute?.route ?? "none";
}
