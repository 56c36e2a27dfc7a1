import Cookies from "js-cookie";
import { options } from "./options.ts";
import { quietly } from "./quietly.ts";

/** A cookie's value. undefined if there is none, or if the page may not read cookies. */
export const readCookie = (name: string): string | undefined => quietly(() => Cookies.get(name));

/** Sets a cookie for a number of days; -1 removes it. An empty domain means only this host. */
export const writeCookie = (
  name: string,
  value: unknown,
  { days, domain }: { days: number; domain: string },
): unknown =>
  quietly(() =>
    Cookies.set(name, `${value}`, {
      expires: days,
      domain,
      sameSite: "lax",
      secure: location.protocol === "https:",
    }),
  );

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
        const isKept = readCookie(probe);
        writeCookie(probe, 1, { domain, days: -1 });
        return isKept;
      }) || "");
}
