import Cookies from "js-cookie";
import { options } from "./options.ts";
import { quietly } from "./quietly.ts";

/** A cookie's value; undefined where there is none, or where the page may have none. */
export const readCookie = (name: string): string | undefined => quietly(() => Cookies.get(name));

/** Sets a cookie for so many days; -1 removes it. An empty domain is the host alone. */
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
 * The widest domain that the browser lets the page set cookies on: the shortest ending of the host that keeps
 * one, because browsers refuse public suffixes. Empty: none but the host itself.
 */
export function cookieDomain(): string {
  // A name that no site has, so that no cookie of the site is read as ours, or removed.
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
