import { parse } from "./address.ts";
import { options } from "./options.ts";

const NAMES = "svc_ref fp_ref fpr via ref a _from _by deal _go _get";
const MAX_COUNT = 5;
/** A ref id among what stood around it where a link was copied from. */
const REF_ID = /^[\s/.)@,]*([\w-]{1,100})[\s/.)@,]*$/;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;

/** The ref ids in an address as the server writes them, best first, with commas between. */
export function refIds(address: string): string {
  const { search, hash } = parse(address);
  const query = options.fragment ? search + hash.replace(/.*[#?]/, "&") : search;
  // Links that were escaped twice have `&amp;`.
  const params = new URLSearchParams(query.toLowerCase().replaceAll("&amp;", "&"));
  return [options.param, NAMES]
    .join(" ")
    .toLowerCase()
    .split(" ")
    .flatMap((name) => params.getAll(name))
    .map((value) => REF_ID.exec(value.replace(INVISIBLE, ""))?.[1])
    .filter(Boolean)
    .slice(0, MAX_COUNT)
    .join();
}

/**
 * The page's address or, at its first look, another one that names who sent the visitor: the one that the page
 * was opened with, which a router may have changed, and, for a visitor who is not known, that of the page before.
 */
export function landingPage(isFirstLook: boolean, isKnown: unknown): string {
  const page = options.url || location.href;
  const former = document.referrer;
  const addresses = [page];
  if (isFirstLook) addresses.push(performance.getEntriesByType("navigation")[0]?.name || page);
  if (isFirstLook && !isKnown && former.startsWith(`${location.origin}/`)) addresses.push(former);
  return addresses.find(refIds) || page;
}
