import { options } from "./options.ts";
import type { Visitor } from "./visitor.ts";

/** The result of an event. */
export interface Outcome extends Visitor {
  /**
   * `recorded`; `known`: recorded before, does not count again; `refused`: never will be recorded, for the
   * reason in the other fields; `waiting`: the server can't be reached, and the script will retry.
   */
  status: "recorded" | "known" | "refused" | "waiting";
  cookie_days?: number;
  /** Whether the server has set the cookies. */
  has_cookies?: boolean;
  /** How long the server asks us to wait. */
  waitMs?: number;
  details?: object;
  error?: unknown;
}

/**
 * Posts to the server. A form needs no CORS preflight, and keepalive lets it outlive the page. Proxies,
 * firewalls and extensions may answer in the server's place; only an answer of its own counts.
 */
export async function post(
  path: string,
  fields: object,
  signal: AbortSignal | null = null,
): Promise<Outcome> {
  let waitMs = 0;
  try {
    const server = (options.origin || location.origin).replace(/\/$/, "");
    const response = await fetch(`${server}/t/${path}`, {
      body: new URLSearchParams(fields as Record<string, string>),
      credentials: "include",
      keepalive: true,
      method: "POST",
      signal,
    });
    waitMs = 1_000 * Number(response.headers.get("retry-after")) || 0;
    const answer = await response.json();
    if (response.ok && (answer.status || answer.details)) return answer;
    if (!response.ok && response.status < 500 && response.status !== 429) {
      // For the page's developers: a wrong account, site or field.
      console.warn(`svc: ${path} refused`, answer);
      return { ...answer, status: "refused" };
    }
  } catch {} // the network is down, an extension or a policy forbids the request, or the answer was cut off
  return { status: "waiting", waitMs };
}
