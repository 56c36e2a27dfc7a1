import type { EventHandler, H3Event } from "h3";
import { FastResponse } from "srvx";
import {
  findByAuthToken,
  findSignedInPromoter,
  signInByAuthToken,
  type PortalPromoter,
} from "../domain/people/portal/sign-in.ts";
import { promoterName } from "../domain/people/promoter/promoter.ts";
import { Failure } from "../failure.ts";
import { withCookies } from "../http/answer.ts";
import { v1Error } from "../http/errors.ts";
import { isFromOwnPage } from "../http/origin.ts";
import { readSessionToken, SESSION_COOKIES } from "../http/credentials.ts";
import { preferredLanguage, type TextKey } from "../languages/languages.ts";
import { signInCookies, signInLimits } from "../request/sign-in.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { escapeHtml } from "../markup.ts";
import { paragraph, plainPage, question } from "./plain-pages.ts";
import { basePath, parseUrl } from "../url.ts";

/** The longest auth token that is looked up. Clients may choose their own tokens. */
const MAX_TOKEN_LENGTH = 1_000;

/**
 * `GET /portal`. With `auth_token` it signs the promoter in and redirects, so that the token leaves the URL. An unknown
 * token shows the sign-in form. A page asks first if another promoter is signed in, or if another site has sent the browser,
 * because otherwise a link could sign people in to a foreign portal, where they would enter their own bank details.
 *
 * @see docs/spec/common.md "Authentication", 5
 */
export function portalEntry(services: Services, page: EventHandler): EventHandler {
  return async (event) => {
    const authToken = readAuthToken(event);
    // Link previews send HEAD, which must not change anything.
    if (authToken === null || event.req.method === "HEAD") return page(event);
    return answered(services, event, async (candidate) => {
      const current = await currentOf(services, event);
      if (current === null && !isFromOtherSite(event)) return enter(services, event, authToken);
      if (current === null || !isSame(current, candidate)) return confirmation(event, current, candidate);
      // With the token, promoters can sign in before they have chosen a password.
      return current.session.must_set_password ? enter(services, event, authToken) : redirect(services, []);
    });
  };
}

/** `POST /portal`: the button of the confirmation page. */
export function portalEntrance(services: Services): EventHandler {
  return (event) =>
    answered(services, event, async () => {
      if (isFromOwnPage(event, services.public_url))
        return enter(services, event, readAuthToken(event) ?? "");
      throw new Failure("forbidden", "The request does not come from a page of this server");
    });
}

/** Looks up the token's promoter, within the network's limit. */
async function answered(
  services: Services,
  event: H3Event,
  answer: (candidate: PortalPromoter) => Promise<Response>,
): Promise<Response> {
  try {
    await signInLimits(services, event, "promoter").limit(null);
    const candidate = await findByAuthToken(services.store, readAuthToken(event) ?? "");
    return candidate === null ? redirect(services, []) : await answer(candidate);
  } catch (error) {
    if (error instanceof Failure && error.kind === "rate_limited")
      return tooSoon(event, "page.entry.too_many", error.retryAfterSeconds ?? 1);
    return refuse(services, event, { error, generation: "v1", shape: v1Error, headers: {} });
  }
}

/** Signs in at most once a minute, so that a leaked token can't be used at the same time as by its owner. */
async function enter(services: Services, event: H3Event, authToken: string): Promise<Response> {
  const context = newContext(services);
  const state = await services.limits.authTokens.take(authToken);
  if (state?.allowed === false) {
    return tooSoon(event, "page.entry.used", state.resetSeconds);
  }
  const device = event.req.headers.get("user-agent");
  const language = preferredLanguage(event.req.headers.get("accept-language"));
  const signedIn = await signInByAuthToken(context, { auth_token: authToken, device, language });
  if (signedIn === null) return redirect(services, []);
  const { account, session, token } = signedIn;
  const { chance, public_url } = services;
  const arrival = { account, holder: session.holder, token };
  return redirect(services, signInCookies({ event, chance, public_url }, arrival));
}

/** The promoter who is signed in in this browser, or null. */
async function currentOf(services: Services, event: H3Event) {
  const token = readSessionToken(event, SESSION_COOKIES.promoter);
  return token === null ? null : findSignedInPromoter(newContext(services), token);
}

function isSame({ account, promoter }: PortalPromoter, other: PortalPromoter): boolean {
  return account.id === other.account.id && promoter.id === other.promoter.id;
}

/**
 * Whether a page of another site has led the browser here. The company's own site often shares the server's domain, and
 * e-mail programs send no referrer. Older browsers say only that.
 */
function isFromOtherSite({ req: { headers }, url }: H3Event): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const referrer = parseUrl(headers.get("referer") ?? "");
  return referrer !== null && referrer.host !== (headers.get("host") ?? url.host);
}

function confirmation(event: H3Event, current: PortalPromoter | null, wanted: PortalPromoter): Response {
  const now = current && { name: promoterName(current.promoter) };
  const then = { name: promoterName(wanted.promoter) };
  return plainPage(event, {
    title: "page.portal",
    content: (say) =>
      question(
        [...(now === null ? [] : [say("page.entry.current", now)]), say("page.entry.ask", then)],
        say("page.entry.change", then),
      ) + wayOut(now === null ? say("page.portal") : say("page.entry.stay", now)),
    // With `no-referrer`, browsers would send the form without an `Origin`.
    headers: { "referrer-policy": "same-origin" },
  });
}

function tooSoon(event: H3Event, text: TextKey, seconds: number): Response {
  return plainPage(event, {
    title: "page.portal",
    content: (say) => paragraph(say, text) + wayOut(say("page.portal")),
    status: 429,
    headers: { "retry-after": String(Math.max(1, seconds)) },
  });
}

/** A link to the portal, without the token. */
function wayOut(words: string): string {
  return `<p><a href="?">${escapeHtml(words)}</a></p>`;
}

function readAuthToken({ url }: H3Event): string | null {
  return url.searchParams.get("auth_token")?.slice(0, MAX_TOKEN_LENGTH) ?? null;
}

function redirect({ public_url }: Services, cookies: string[]): Response {
  const headers = {
    location: `${basePath(public_url)}/portal`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  return withCookies(new FastResponse(null, { status: 303, headers }), cookies);
}
