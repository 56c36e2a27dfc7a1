import { serialize } from "cookie-es";

/** Holds the visitor's id. @see docs/spec/v1.md "Track a sign-up" */
export const VISITOR_COOKIE = "_svc_tid";

/** Holds the ref id of the promoter who sent the visitor. */
export const REF_COOKIE = "_svc_ref";

const DAY_SECONDS = 24 * 60 * 60;

/** A cookie of the site that a script runs on. */
export interface SiteCookie {
  name: string;
  value: string;
  maxAgeDays: number;
  /** The widest domain that the script could set one on; empty for the page's own host alone. */
  domain: string;
  requestHost: string;
  pageHost: string;
  isSecure: boolean;
}

/** The `Set-Cookie` of a cookie that page and server share, or null where they do not share a domain. */
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

/** A page may only name a domain that both it and the server stand under. */
function isShared(domain: string, ...hosts: string[]): boolean {
  return isDomain(domain) && hosts.every((host) => host === domain || host.endsWith(`.${domain}`));
}

/** Bare hosts and addresses have cookies, but no domain to share them on. No last label begins with a digit. */
function isDomain(text: string): boolean {
  return /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/.test(text);
}
