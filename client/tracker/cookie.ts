import Cookies from "js-cookie";
import { options } from "./options.ts";
import { quietly } from "./quietly.ts";

const DAY_S = 86_400;

/** Sets a cookie for a number of days; -1 removes it. An empty domain means only this host. */
export function writeCookie(
  name: string,
  value: unknown,
  { days, domain }: { days: number; domain: string },
): void {
  const secure = location.protocol === "https:";
  const attributes = { expires: days, domain, sameSite: "lax", secure } as const;
  const isSet = quietly(() => Cookies.set(name, `${value}`, attributes));
  // js-cookie throws if the page has added methods to all objects.
  const end = `;path=/;samesite=lax${secure ? ";secure" : ""}`;
  if (!isSet)
    quietly(() => (document.cookie = `${name}=${value};max-age=${days * DAY_S};domain=${domain}${end}`));
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
        const isKept = quietly(() => Cookies.get(probe));
        writeCookie(probe, 1, { domain, days: -1 });
        return isKept;
      }) || "");
}
