import { sendable, uuid } from "./address.ts";
import { cookieDomain } from "./cookie.ts";
import { cleanAddressBar, handedOver } from "./cross-domain.ts";
import { accountId, options } from "./options.ts";
import type { Outcome } from "./post.ts";
import { isPrivate, waiting } from "./queue.ts";
import { landingPage, refIds } from "./referral.ts";
import { record, settled } from "./sender.ts";
import { become, visitor } from "./visitor.ts";

/** How long a visitor is remembered whom the server has not answered for yet. */
const COOKIE_DAYS = 60;

/** The ref ids that this page has dealt with, and the addresses that may name a promoter themselves. */
const seen = new Set<string>();

/**
 * Records the click of a link that was followed, unless its promoter is the visitor's already. The tid is new,
 * so that a request that is sent twice is one visit; the server keeps the visitor of a promoter's second link.
 */
export function click(): Promise<Outcome> {
  const { tid, ref_id: known } = visitor();
  const url = landingPage(!seen.size, tid);
  const ref_id = options.ref_id || refIds(url);
  const sign = ref_id || (options.url_tracking && !tid ? url : "");
  const isKnown = seen.has(sign) || (tid && ref_id === known);
  seen.add(sign);
  cleanAddressBar();
  if (!sign || isKnown || pendingClick()?.["ref_id"] === ref_id) return present();
  const visit = { tid: options.tid || handedOver(url) || uuid(), ref_id };
  // Other pages of the site know the visitor at once, and can tell the server of the click if this one can't.
  if (ref_id && !tid && !isPrivate()) become(visit, COOKIE_DAYS);
  return record("click", {
    ...common(),
    ...visit,
    cookie_tid: tid,
    url: sendable(url),
    referrer: sendable(options.referrer ?? document.referrer),
    url_tracking: options.url_tracking,
  });
}

/** Makes the page look at its address as if for the first time. */
export const forgetClicks = (): void => seen.clear();

/** Who the visitor is, where there is no click to be made. */
export async function present(): Promise<Outcome> {
  await settled();
  const who = visitor();
  return { status: who.tid ? (waiting()[0] ? "waiting" : "known") : "refused", ...who };
}

/** What a sign-up tells of the visit that led to it, so that the server can record both. */
export const visit = (): object => pendingClick() || { ...common(), ...visitor() };

const pendingClick = () => waiting().findLast(({ path }) => path === "click")?.fields;

const common = () => ({ cid: accountId(), consent: options.consent, domain: cookieDomain() });
