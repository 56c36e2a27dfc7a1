import { cookieDomain, readCookie, writeCookie } from "./cookie.ts";
import { mayAct, options } from "./options.ts";

/** The visitor, as far as this browser knows. */
export interface Visitor {
  tid?: string | undefined;
  ref_id?: string | undefined;
}

/** Used if the page may not have cookies. */
let memory: Visitor = {};

/** The visitor id in a text. A site may have cookies and parameters of its own with our names. */
export const tidIn = (text?: string | null): string | undefined =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/i.exec(text!)?.[0];

const cookie = (name: string): string => `${options.cookie || "_svc"}_${name}`;

/** The current visitor. It is read each time, because other tabs change the cookies. */
export function visitor(): Visitor {
  if (!mayAct()) return {};
  const tid = tidIn(readCookie(cookie("tid")));
  return tid ? { tid, ref_id: readCookie(cookie("ref")) } : { tid: options.tid, ...memory };
}

/** Remembers a visitor for a number of days; -1 forgets them. */
export function become({ tid, ref_id }: Visitor, days: number): void {
  const domain = cookieDomain();
  writeCookie(cookie("tid"), tid, { days, domain });
  writeCookie(cookie("ref"), ref_id, { days, domain });
  memory = readCookie(cookie("tid")) ? {} : { tid, ref_id };
}
