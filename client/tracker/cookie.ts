import Cookies from "js-cookie";
import { options } from "./options.ts";
import { quietly } from "./quietly.ts";

/** A cookie's value; undefined where there is none, or where the page may have none. */
export const readCookie = (name: string): string | undefined => quietly(() => Cookies.get(name));

/** Sets a cookie for so many days on the widest domain that the browser allows; -1 removes it. */
export function writeCookie(name: string, value: string, expires: number, domain = options.domain): void {
  quietly(() =>
    Cookies.set(name, value, {
      domain,
      expires,
      sameSite: "Lax",
      secure: origin.startsWith("https"),
    }),
  );
}

/** Finds that domain: the shortest ending of the host that keeps a cookie, as browsers refuse public suffixes. */
export function findDomain(): void {
  location.hostname.split(".").reduceRight((ending, label) => {
    const domain = `${label}.${ending}`;
    if (options.domain == null) {
      writeCookie("_svc", "1", 1, domain);
      if (readCookie("_svc")) options.domain = domain;
      writeCookie("_svc", "", -1, domain);
    }
    return domain;
  });
}
