import { options } from "./options.ts";
import { quietly } from "./quietly.ts";
import { cookieName, type Visitor } from "./visitor.ts";

const DAY_S = 86_400;

/**
 * Sets a cookie on the page's domain; -1 day removes it. The second file uses js-cookie; this is for cookies that can't
 * wait for that.
 */
export function writeCookie(name: string, value: unknown, days: number): void {
  const end = location.protocol === "https:" ? ";secure" : "";
  const place = `;path=/;domain=${options.domain};max-age=${days * DAY_S};samesite=lax${end}`;
  quietly(() => (document.cookie = `${name}=${value}${place}`));
}

/** Writes the cookies of a visitor; -1 day removes them. */
export function writeVisitor({ tid, ref_id }: Visitor, days: number): void {
  findDomain();
  writeCookie(cookieName("tid"), tid, days);
  writeCookie(cookieName("ref"), ref_id, days);
}

/**
 * Finds the widest domain on which the page may set cookies: the shortest suffix of the host that keeps a cookie, because
 * browsers refuse public suffixes. Empty for only the host itself.
 */
export function findDomain(): string {
  // A name that no site uses, so that no cookie of the site is overwritten.
  const probe = `_svc_${Date.now()}`;
  const labels = location.hostname.split(".");
  for (let at = 2; options.domain === undefined; at++) {
    options.domain = labels.slice(-at).join(".");
    writeCookie(probe, 1, 1);
    const isKept = quietly(() => document.cookie.includes(probe));
    writeCookie(probe, 1, -1);
    if (!isKept) options.domain = at > labels.length ? "" : undefined;
  }
  return options.domain!;
}
