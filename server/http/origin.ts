import type { H3Event } from "h3";
import { FastResponse } from "srvx";
import { parseUrl } from "../url.ts";
import { NO_STORE, type AnswerHeaders } from "./answer.ts";

/**
 * Whether a page of this server sent a request. Browsers add `Origin` to every request that changes something, so pages of
 * other sites can't use the visitor's session. The request's own host is accepted beside the public address, because
 * operators also open the dashboard by a name of the local network.
 */
export function isFromOwnPage({ req, url }: H3Event, publicUrl: string): boolean {
  const origin = req.headers.get("origin");
  const site = origin === null ? null : parseUrl(origin);
  if (site === null || !/^https?:$/.test(site.protocol)) return false;
  return origin === new URL(publicUrl).origin || site.host === (req.headers.get("host") ?? url.host);
}

const PREFLIGHT_SECONDS = 86_400;
const MAX_ORIGIN_LENGTH = 300;
/** Sandboxed frames and files call their origin `null`. */
const ORIGIN = /^(null|https?:\/\/[a-z0-9.[\]:_-]+)$/i;

/**
 * The headers that let scripts of any site read the answer and keep its cookie. This is safe, because no such answer
 * depends on cookies.
 */
export function corsHeaders(event: H3Event): AnswerHeaders {
  const origin = event.req.headers.get("origin");
  const headers: AnswerHeaders = { vary: "Origin" };
  if (origin === null || origin.length > MAX_ORIGIN_LENGTH || !ORIGIN.test(origin)) return headers;
  headers["access-control-allow-origin"] = origin;
  headers["access-control-allow-credentials"] = "true";
  headers["access-control-expose-headers"] = "Retry-After";
  return headers;
}

/** Answers a browser's preflight request. The script itself never causes one. */
export function preflight(event: H3Event): Response {
  return new FastResponse(null, {
    status: 204,
    headers: {
      ...NO_STORE,
      ...corsHeaders(event),
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "content-type",
      "access-control-max-age": String(PREFLIGHT_SECONDS),
    },
  });
}
