import { options } from "./options.ts";
import { quietly } from "./quietly.ts";
import { cookieName, type Visitor } from "./visitor.ts";

const DAY_S = 86_400;

/** Where a cookie goes, and for how many days. -1 removes it. An empty domain means only this host. */
export interface Place {
  days: number;
  domain: string;
}

/** Sets a cookie. The second file does it with js-cookie; this is for what can't wait for it. */
export function writeCookie(name: string, value: unknown, { days, domain }: Place): void {
  const end = location.protocol === "https:" ? ";secure" : "";
  const place = `;path=/;domain=${domain};max-age=${days * DAY_S};samesite=lax${end}`;
  quietly(() => (document.cookie = `${name}=${value}${place}`));
}

/** Writes the cookies of a visitor without waiting for the second file; -1 day removes them. */
export function writeVisitor({ tid, ref_id }: Visitor, days: number): void {
  const place = { days, domain: cookieDomain() };
  writeCookie(cookieName("tid"), tid, place);
  writeCookie(cookieName("ref"), ref_id, place);
}

/**
 * Finds the widest domain that the browser lets the page set cookies on: the shortest ending of the host that
 * keeps a cookie, because browsers refuse public suffixes. Empty: only the host itself.
 */
export function cookieDomain(): string {
  // A name that no site uses, so that no cookie of the site is read or removed by mistake.
  const probe = `_svc_${Date.now()}`;
  const labels = location.hostname.split(".");
  return (options.domain ??=
    labels
      .map((_, at) => labels.slice(-2 - at).join("."))
      .find((domain) => {
        writeCookie(probe, 1, { domain, days: 1 });
        const isKept = quietly(() => document.cookie.includes(probe));
        writeCookie(probe, 1, { domain, days: -1 });
        return isKept;
      }) || "");
}
