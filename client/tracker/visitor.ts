import { cookieDomain, readCookie, writeCookie } from "./cookie.ts";
import { mayAct, options } from "./options.ts";

/** Who the visitor is, as far as this browser knows. */
export interface Visitor {
  tid?: string | undefined;
  ref_id?: string | undefined;
}

/** Stands in where the page may have no cookies. */
let memory: Visitor = {};

/** The id in a text. A site can have cookies and parameters of its own by our names. */
export const tidIn = (text?: string | null): string | undefined =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i.exec(text!)?.[0];

const cookie = (name: string): string => `${options.cookie || "_svc"}_${name}`;

/** The visitor of this moment. Read anew each time, because other tabs change the cookies. */
export function visitor(): Visitor {
  if (!mayAct()) return {};
  const tid = tidIn(readCookie(cookie("tid")));
  return tid ? { tid, ref_id: readCookie(cookie("ref")) } : { tid: options.tid, ...memory };
}

/** Makes the browser remember a visitor for so many days; -1 makes it forget them. */
export function become({ tid, ref_id }: Visitor, days: number): void {
  const domain = cookieDomain();
  writeCookie(cookie("tid"), tid, { days, domain });
  writeCookie(cookie("ref"), ref_id, { days, domain });
  memory = readCookie(cookie("tid")) ? {} : { tid, ref_id };
}
