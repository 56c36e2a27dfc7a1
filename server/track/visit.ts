import { serialize } from "cookie-es";
import type { H3Event } from "h3";
import { z } from "zod";
import { cleanRefId } from "../../client/tracker/ref-id.ts";
import { trackerNames } from "../domain/program/account/account.ts";
import type { Click, Visit } from "../domain/people/visitor/click.ts";
import type { Handover } from "../domain/people/visitor/visitor.ts";
import { address as webPage, flag, text, refToken, tid } from "../input/fields.ts";
import { parseUrl } from "../url.ts";
import type { PublicRequest } from "./public-route.ts";
import { field } from "../http/fields.ts";

/** The fields that pages send about a visit, with clicks and with sign-ups. */
export const visitParams = z.object({
  /** One ref id, or several separated by commas. The first that belongs to a promoter is used. */
  ref_id: field(text.optional(), refToken),
  // An address that is too long is dropped, because a click without its address is better than none.
  url: field(
    webPage.optional().catch(undefined),
    "An absolute web address.",
    "https://www.example.com/?via=jane",
  ),
  referrer: field(
    webPage.optional().catch(undefined),
    "The page that the visitor came from.",
    "https://blog.example.com/review",
  ),
  cookie_tid: field(
    text.optional(),
    "The id of the visitor's earlier visit, if there was one.",
    "7c9e6679-7425-40de-944b-e07fc1f90ae8",
  ),
  domain: field(text.optional(), "The widest domain that the cookie may be set on.", "example.com"),
  /** When another site handed the visitor over: the time at which it made the URL, in milliseconds. */
  handed_at: field(
    z.coerce.number().int().positive().optional().catch(undefined),
    "If another of your sites handed the visitor over: when it made the link, in milliseconds since 1970.",
    1772600000000,
  ),
  /** With `handed_at`: the visitor id to use if a different visitor opened the same URL before. */
  spare_tid: field(
    z.uuidv4().optional().catch(undefined),
    "With `handed_at`: the visitor id to use if a different visitor opened the same link before.",
    "7c9e6679-7425-40de-944b-e07fc1f90ae9",
  ),
  /** How long ago the event was, in milliseconds, because a browser's clock may be wrong. */
  age: field(
    z.coerce.number().optional().catch(undefined),
    "How long ago the event was, in milliseconds, if it could not be sent immediately.",
    60_000,
  ),
  is_past: field(
    flag.optional().catch(undefined),
    "Whether a later click of this browser was answered before. Then this one counts, but `cookie_tid` stays the visitor.",
  ),
  /** Unchanged from the other program's cookie, because such ids may differ only in case. */
  former_id: field(
    text.optional(),
    "If no referral link was followed: the id of the promoter or of the customer in the program that you switched from.",
    "pn_1K0XQ2",
  ),
  /** `given` if the visitor consented on the page. */
  consent: field(text.optional(), "`given` if the visitor has consented on your page.", "given"),
});

/** How the browser identifies the visitor from now on. */
export const visitAnswer = {
  tid: field(z.uuidv4().nullable(), tid),
  ref_id: field(z.string().nullable(), visitParams.shape.ref_id),
  cookie_days: field(
    z.int(),
    "For how many days the browser keeps the visitor's id. 0 if it does not keep it.",
    60,
  ),
  /** Whether the answer sets the cookies, so that the script need not. */
  has_cookies: field(z.boolean(), "Whether the answer sets the cookies. Otherwise the script does."),
};

/** The answer to a browser that followed no promoter's link. */
export const NO_VISIT = { tid: null, ref_id: null, cookie_days: 0, has_cookies: false };

/** Scripts drop clicks that are older. */
const MAX_AGE_MS = 60 * 24 * 60 * 60 * 1000;

/** The click that a page reports. */
export function clickOf(
  given: z.output<typeof visitParams>,
  { tid, address }: { tid: string; address: string | null },
): Click {
  return {
    tid: tid.toLowerCase(),
    refTokens: refIds(given.ref_id ?? ""),
    cookieTid: given.cookie_tid ?? null,
    url: given.url ?? null,
    referrer: given.referrer ?? null,
    address,
    has_consent: given.consent === "given",
    formerId: given.former_id ?? null,
    handover: handoverOf(given),
    ageMs: Math.min(Math.max(Math.round(given.age || 0), 0), MAX_AGE_MS),
    isPast: given.is_past ?? false,
  };
}

/** Whether the visitor objects to being tracked. @see https://w3c.github.io/gpc/ */
export function isOptedOut({ event, account }: Pick<PublicRequest, "event" | "account">): boolean {
  return account.honours_privacy_control && event.req.headers.get("sec-gpc") === "1";
}

/**
 * Answers with the visitor's ids, and sets cookies if the browser would keep them. For a `visit` of null, the browser keeps
 * nothing.
 */
export function answerVisit({ event, account, cookies }: PublicRequest, visit: Visit | null, domain: string) {
  if (visit === null) return NO_VISIT;
  const set = serverCookies(event, visit, { domain, prefix: trackerNames(account).cookie });
  cookies.push(...set);
  const { tid, ref_token, cookieDays } = visit;
  return { tid, ref_id: ref_token, cookie_days: cookieDays, has_cookies: set.length > 0 };
}

/** The ref ids of a comma-separated list. The browser script cleans them alike, but anyone may call. */
export const refIds = (list: string): string[] => list.split(",").map(cleanRefId).filter(Boolean);

/** The suffix of the visitor id's cookie. */
export const VISITOR_COOKIE = "_tid";

/** The suffix of the ref id's cookie. */
const REF_COOKIE = "_ref";

const DAY_SECONDS = 24 * 60 * 60;

/** A cookie that a script sets on its site. */
export interface SiteCookie {
  name: string;
  value: string;
  maxAgeDays: number;
  /** The widest domain on which the script could set a cookie; empty for only the page's own host. */
  domain: string;
  requestHost: string;
  pageHost: string;
  isSecure: boolean;
}

/** The `Set-Cookie` header of a cookie that page and server share, or null if they share no domain. */
export function siteCookie(cookie: SiteCookie): string | null {
  const { name, value, maxAgeDays, requestHost, pageHost, isSecure } = cookie;
  const domain = cookie.domain.toLowerCase();
  const isOwnHost = requestHost === pageHost && (domain === "" || domain === pageHost);
  if (!isOwnHost && !isShared(domain, requestHost, pageHost)) return null;
  return serialize(name, value, {
    path: "/",
    maxAge: maxAgeDays * DAY_SECONDS,
    sameSite: "lax",
    ...(isSecure && { secure: true }),
    ...(isDomain(domain) && { domain }),
  });
}

function handoverOf({ handed_at: at, spare_tid }: z.output<typeof visitParams>): Handover | null {
  return at === undefined || spare_tid === undefined ? null : { at, spare_tid: spare_tid.toLowerCase() };
}

/** Some browsers delete a script's cookies after seven days, but keep the server's. */
function serverCookies(
  event: H3Event,
  { tid, ref_token, cookieDays }: Visit,
  { domain, prefix }: { domain: string; prefix: string },
): string[] {
  const site = parseUrl(event.req.headers.get("origin") ?? "");
  if (site === null) return [];
  const common = {
    maxAgeDays: cookieDays,
    domain,
    requestHost: event.url.hostname,
    pageHost: site.hostname,
    isSecure: site.protocol === "https:",
  };
  const set = [
    siteCookie({ ...common, name: prefix + VISITOR_COOKIE, value: tid }),
    siteCookie({ ...common, name: prefix + REF_COOKIE, value: ref_token }),
  ];
  return set.filter((cookie) => cookie !== null);
}

/** A page may only name a domain that contains both its own host and the server's. */
function isShared(domain: string, ...hosts: string[]): boolean {
  return isDomain(domain) && hosts.every((host) => host === domain || host.endsWith(`.${domain}`));
}

/**
 * Bare hosts and IP addresses can't share cookies between hosts. The last label of a domain never begins with a digit.
 */
function isDomain(text: string): boolean {
  return /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/.test(text);
}
