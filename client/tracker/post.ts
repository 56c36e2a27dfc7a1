import { options } from "./options.ts";
import type { Visitor } from "./visitor.ts";

/** What became of an event. */
export interface Outcome extends Visitor {
  /**
   * `recorded`; `known`: it was before, and counts no more; `refused`: it never will be, for the reason given
   * besides; `waiting`: the server can't be reached, and it is tried again.
   */
  status: "recorded" | "known" | "refused" | "waiting";
  cookie_days?: number;
  /** Whether the server has set the cookies. */
  has_cookies?: boolean;
  /** How long the server wants to be left alone. */
  waitMs?: number;
  details?: object;
  error?: unknown;
}

/**
 * Posts to the server. A form needs no CORS preflight, and keepalive lets it outlive the page. An answer is
 * JSON: whatever else comes is not from our server, but from what stands between.
 */
export async function post(
  path: string,
  fields: object,
  signal: AbortSignal | null = null,
): Promise<Outcome> {
  let waitMs = 0;
  try {
    const response = await fetch(`${options.origin || location.origin}/t/${path}`, {
      body: new URLSearchParams(fields as Record<string, string>),
      credentials: "include",
      keepalive: true,
      method: "POST",
      signal,
    });
    waitMs = 1_000 * Number(response.headers.get("retry-after"));
    const answer = await response.json();
    if (response.ok) return answer;
    if (response.status < 500 && response.status !== 429) {
      // For the page's makers: another account, another site, a faulty field.
      console.warn(`svc: ${path} refused`, answer);
      return { ...answer, status: "refused" };
    }
  } catch {} // the network is away, an extension or a policy forbids it, or the answer was cut off
  return { status: "waiting", waitMs: waitMs || 0 };
}
