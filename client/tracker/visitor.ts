import { mayAct, options } from "./options.ts";
import { quietly } from "./quietly.ts";

/** The visitor, as far as this browser knows. */
export interface Visitor {
  tid?: string | undefined;
  ref_id?: string | undefined;
}

/** The visitor if the page can't set cookies. */
export const memory: Visitor = {};

export const cookieName = (name: string): string => `${options.cookie || "_svc"}_${name}`;

/** One of our cookies, or undefined if there is none or the page can't read cookies. */
export const cookie = (name: "tid" | "ref"): string | undefined =>
  quietly(() =>
    decodeURIComponent(new RegExp(`(^|; )${cookieName(name)}=([^;]+)`).exec(document.cookie)![2]!),
  );

/** The current visitor, read each time, because other tabs change the cookies. */
export function visitor(): Visitor {
  if (!mayAct()) return {};
  const tid = cookie("tid");
  // A site may have its own cookies with our names, but without a visitor id.
  return tid?.length === 36 ? { tid, ref_id: cookie("ref") } : { tid: options.tid, ...memory };
}
