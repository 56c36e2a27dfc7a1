import { createHash, timingSafeEqual } from "node:crypto";
import type { EventHandler, H3Event } from "h3";
import { Failure } from "../failure.ts";
import { NO_STORE, plainText } from "../http/answer.ts";
import { readBearer } from "../http/credentials.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import { refuse, requestId } from "./refusal.ts";
import type { Services } from "./services.ts";

/**
 * Wraps a handler so that its requests are counted by route and, with `LOG_LEVEL=debug`, logged in one line
 * each. The only client data in either is the method.
 */
export function observed({ metrics, log }: Services, route: string, handler: EventHandler): EventHandler {
  const hasAccessLog = log.isLevelEnabled("debug");
  if (metrics === null && !hasAccessLog) return handler;

  function note(event: H3Event, began: number, status: number): void {
    const milliseconds = performance.now() - began;
    const answered = { method: event.req.method, route, status };
    metrics?.record({ ...answered, seconds: milliseconds / 1_000 });
    if (!hasAccessLog) return;
    log.debug(
      { ...answered, milliseconds: Number(milliseconds.toFixed(3)), requestId: requestId(event) },
      "request",
    );
  }

  return async (event) => {
    const began = performance.now();
    try {
      const answer = await handler(event);
      note(event, began, answer instanceof Response ? answer.status : 200);
      return answer;
    } catch (error) {
      note(event, began, 500);
      throw error;
    }
  };
}

/**
 * `GET /metrics`, for Prometheus.
 *
 * Metrics are private, and the caller's address proves nothing, because behind a proxy on the same machine
 * every caller looks local. So metrics are off until they get an address of their own or a token, which
 * callers send as a bearer token.
 */
export function metricsPage(services: Services, token: string | null): EventHandler {
  const { metrics } = services;
  return async (event) => {
    try {
      if (metrics === null) throw new Failure("not_found", "Not found");
      if (token !== null) await checkToken(services, event, token);
      const { text, contentType } = await metrics.page();
      return plainText(text, { "content-type": contentType, ...NO_STORE });
    } catch (error) {
      const headers = { "www-authenticate": "Bearer" };
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers });
    }
  };
}

/**
 * The right token is never refused. Otherwise guesses from the same network could lock the operator out.
 *
 * @throws Failure `unauthorized`, or `rate_limited` after too many failed attempts
 */
async function checkToken(
  { limits, trustProxyHops }: Services,
  event: H3Event,
  token: string,
): Promise<void> {
  const given = digest(readBearer(event) ?? "");
  if (timingSafeEqual(given, digest(token))) return;
  const network = networkOf(clientAddress(event, trustProxyHops));
  // API keys are counted by the same limiter but are not valid here.
  const credential = `metrics ${given.toString("base64url")}`;
  await limits.failedAuthentication.attempt(network, credential, () => Promise.resolve(null));
  throw new Failure("unauthorized", "Bad credentials");
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
