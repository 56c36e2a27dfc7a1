import type { EventHandler, H3Event } from "h3";
import { FastResponse } from "srvx";
import { signInByAuthToken } from "../domain/portal/sign-in.ts";
import { v1Error } from "../http/errors.ts";
import { SESSION_COOKIES, sessionCookie } from "../http/session-cookie.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { signInLimits } from "../request/sign-in-limit.ts";

/** The longest auth token that is looked up. Clients may choose their own. */
const MAX_TOKEN_LENGTH = 1_000;

/**
 * `GET /portal`. With `auth_token` it signs the promoter in and redirects, so that the token leaves the address at once.
 * A token that nobody has leads to the sign-in form.
 */
export function portalEntry(services: Services, page: EventHandler): EventHandler {
  return async (event) => {
    const authToken = event.url.searchParams.get("auth_token");
    if (authToken === null) return page(event);
    try {
      await signInLimits(services, event, "promoter").limit(null);
      return redirect(await cookieFor(services, event, authToken.slice(0, MAX_TOKEN_LENGTH)));
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers: {} });
    }
  };
}

async function cookieFor(services: Services, event: H3Event, authToken: string): Promise<string | null> {
  const device = event.req.headers.get("user-agent");
  const signedIn = await signInByAuthToken(newContext(services), { authToken, device });
  return signedIn && sessionCookie(SESSION_COOKIES.promoter, signedIn.token, services.publicUrl);
}

function redirect(cookie: string | null): Response {
  return new FastResponse(null, {
    status: 303,
    headers: {
      location: "/portal",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      ...(cookie !== null && { "set-cookie": cookie }),
    },
  });
}
