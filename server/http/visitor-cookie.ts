import { serialize } from "cookie-es";

/** The last part of the name of the cookie that holds the visitor's id. */
export const VISITOR_COOKIE = "_tid";

/** The last part of the name of the cookie that holds the ref id of the promoter who sent the visitor. */
export const REF_COOKIE = "_ref";

const DAY_SECONDS = 24 * 60 * 60;

/** A cookie that a script sets on its site. */
export interface SiteCookie {
  name: string;
  value: string;
  maxAgeDays: number;
  /** The widest domain on which the script could set a cookie; empty for the page's own host alone. */
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

/** A page may only name a domain that contains both its own host and the server's. */
function isShared(domain: string, ...hosts: string[]): boolean {
  return isDomain(domain) && hosts.every((host) => host === domain || host.endsWith(`.${domain}`));
}

/**
 * Bare hosts and addresses have cookies but no domain to share them on. No last label begins with a digit.
 */
function isDomain(text: string): boolean {
  return /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/.test(text);
}
