import { parse } from "./address.ts";
import { options } from "./options.ts";
import { visitor } from "./visitor.ts";

const NAMES = "svc_ref fp_ref fpr via ref a _from _by deal _go _get tolt gr_id";
const MAX_COUNT = 5;
/** A ref id, with punctuation that was copied with the link. */
const REF_ID = /^[\s/.)@,]*([\w-]{1,100})[\s/.)@,]*$/;
/** Invisible characters, which get copied too. */
const INVISIBLE = /\p{Cf}/gu;

/**
 * The ref ids from the page's options, or otherwise from its URL, in the form that the server stores, best first, separated
 * by commas.
 */
export function refIds(address: string): string {
  const { search, hash } = parse(address);
  const own = options.ref_id && `?svc_ref=${options.ref_id}`;
  const query = own || (options.fragment ? search + hash.replace(/.*[#?]/, "&") : search);
  // Links that were escaped twice contain `&amp;`, and those that were appended to another URL a second `?`.
  const params = new URLSearchParams(query.toLowerCase().replace(/&amp;|\?/g, "&"));
  const names = [options.param, NAMES].join(" ").toLowerCase().split(" ");
  return names
    .flatMap((name) => params.getAll(name))
    .map((value) => REF_ID.exec(value.replace(INVISIBLE, ""))?.[1])
    .filter(Boolean)
    .slice(0, MAX_COUNT)
    .join();
}

/**
 * The URL with the referral. On the first look, this may be different from the page's: the URL that the page was opened
 * with, which a router may have changed, or, for an unknown visitor, the previous page's.
 */
export function landingPage(isFirstLook: boolean): string {
  const page = options.url || location.href;
  if (!isFirstLook || refIds(page)) return page;
  const opened = performance.getEntriesByType("navigation")[0]?.name;
  if (opened && refIds(opened)) return opened;
  const former = document.referrer;
  const isReferral = former.startsWith(`${location.origin}/`) && refIds(former) && !visitor().tid;
  return isReferral ? former : page;
}
