import { cleanRefId } from "./ref-id.ts";
import { options, quietly } from "./state.ts";

/** Longer URLs are truncated before they are sent. */
const MAX_LENGTH = 2_000;
/** The URL parameter that hands the visitor over to another of the customer's sites. */
export const HANDOVER = "_svc_tid";
/** Private parameters, and the one that hands a visitor over. */
const SECRET =
  /token|secret|passw|pwd|session|signature|jwt|e-?mail|key$|^(code|oobcode|state|auth|sig|otp|ticket|_svc_tid)$/i;
/** Links that were escaped twice contain `&amp;`, and those that were appended to another URL a second `?`. */
const SEPARATORS = /&amp;|\?/g;
const NAMES = "svc_ref fp_ref fpr via ref a _from _by deal _go _get tolt gr_id";
const MAX_COUNT = 5;

/** A standard alias of `URL`, because some pages redefine `URL`. */
const { webkitURL: Address } = globalThis as unknown as { webkitURL: typeof URL };

/** Parses a URL, relative to the page. @throws TypeError for a malformed URL */
export const parse = (address: string): URL => new Address(address, location.href);

/** Makes a UUID v4. On plain http, browsers have no crypto.randomUUID, but blob URLs end with a UUID. */
export const uuid = (): string => crypto.randomUUID?.() ?? Address.createObjectURL(new Blob()).slice(-36);

/**
 * Makes a URL safe to send: without fragment, password and secrets, and truncated with a mark if it is too long.
 */
export const sendable = (address: string): string | undefined =>
  address &&
  quietly(() => {
    const url = parse(address);
    url.hash = url.username = url.password = "";
    url.search = url.search.slice(1).replace(SEPARATORS, "&");
    // A copy, because some are removed meanwhile.
    for (const name of new Set(url.searchParams.keys())) if (SECRET.test(name)) url.searchParams.delete(name);
    const text = url.href;
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  });

/**
 * The ref ids from the page's options, or otherwise from its URL, in the form that the server stores, best first, separated
 * by commas.
 */
export function refIds(address: string): string {
  const { search, hash } = parse(address);
  const own = options.ref_id && `?svc_ref=${options.ref_id}`;
  const query = own || (options.fragment ? search + hash.replace(/.*[#?]/, "&") : search);
  if (!query) return "";
  const params = new URLSearchParams(query.toLowerCase().replace(SEPARATORS, "&"));
  const names = [options.param, NAMES].join(" ").toLowerCase().split(" ");
  return names
    .flatMap((name) => params.getAll(name))
    .map(cleanRefId)
    .filter((refId) => /^[\w-]{1,100}$/.test(refId))
    .slice(0, MAX_COUNT)
    .join();
}
