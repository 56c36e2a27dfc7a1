import Cookies from "js-cookie";
import { findDomain, writeCookie } from "./cookie.ts";
import { quietly } from "./quietly.ts";
import { cookie, cookieName, memory, type Visitor } from "./visitor.ts";

/** Stores a visitor for a number of days; -1 removes them. */
export function become({ tid, ref_id }: Visitor, days: number): void {
  const domain = findDomain();
  setCookie(cookieName("tid"), tid, { days, domain });
  setCookie(cookieName("ref"), ref_id, { days, domain });
  const isKept = cookie("tid");
  Object.assign(memory, isKept ? { tid: undefined, ref_id: undefined } : { tid, ref_id });
}

function setCookie(name: string, value: unknown, place: { days: number; domain: string }): void {
  const { days: expires, domain } = place;
  const secure = location.protocol === "https:";
  const isSet = quietly(() => Cookies.set(name, `${value}`, { expires, domain, sameSite: "lax", secure }));
  // js-cookie throws if the page has extended Object.prototype.
  if (!isSet) writeCookie(name, value, place.days);
}
