import { cookieDomain, writeCookie } from "./cookie.ts";
import { cookie, cookieName, memory, type Visitor } from "./visitor.ts";

/** Remembers a visitor for a number of days; -1 forgets them. */
export function become({ tid, ref_id }: Visitor, days: number): void {
  const domain = cookieDomain();
  writeCookie(cookieName("tid"), tid, { days, domain });
  writeCookie(cookieName("ref"), ref_id, { days, domain });
  const isKept = cookie("tid");
  Object.assign(memory, isKept ? { tid: undefined, ref_id: undefined } : { tid, ref_id });
}
