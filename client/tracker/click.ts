import { sendable, uuid } from "./address.ts";
import { cookieDomain } from "./cookie.ts";
import { cleanAddressBar, handedOver } from "./cross-domain.ts";
import { accountId, options } from "./options.ts";
import type { Outcome } from "./post.ts";
import { isPrivate, waiting } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { landingPage, refIds } from "./referral.ts";
import { record, settled } from "./sender.ts";
import { become, visitor } from "./visitor.ts";

/** How long to remember a visitor until the server has answered. */
const COOKIE_DAYS = 60;

/** The ref ids that this page has handled, and the addresses that may name a promoter by themselves. */
const seen = new Set<string>();

/**
 * Records the click on a referral link, unless the visitor already belongs to its promoter. It makes a new
 * tid, so that a request sent twice counts as one visit. For a second link of the same promoter, the server
 * answers with the visitor that it knows. Returns undefined if there is no click to record.
 */
export function click(): Promise<Outcome> | undefined {
  const url = landingPage(!seen.size);
  const ref_id = refIds(url);
  const sign = ref_id || (options.url_tracking ? url : "");
  const isSeen = seen.has(sign);
  seen.add(sign);
  // Browsers may refuse it, for example after many changes of the address.
  quietly(cleanAddressBar);
  // The first read of cookies and storage takes milliseconds, so a page without a referral reads neither.
  if (!sign || isSeen) return;
  const { tid, ref_id: known } = visitor();
  const isKnown = tid && (!ref_id || ref_id === known);
  if (isKnown || pendingClick()?.["ref_id"] === ref_id) return;
  const visit = { tid: uuid(), ref_id, ...(options.tid ? { tid: options.tid } : handedOver(url)) };
  // Other pages of the site then know the visitor at once, and can report the click if this page can't.
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

/** Makes the page handle its address again, as if for the first time. */
export const forgetClicks = (): void => seen.clear();

/** The result of a call that records nothing: who the visitor is. */
export async function present(): Promise<Outcome> {
  await settled();
  const who = visitor();
  return { status: who.tid ? (waiting()[0] ? "waiting" : "known") : "refused", ...who };
}

/** The visit that led to a sign-up, so that the server can record both. */
export const visit = (): object => pendingClick() || { ...common(), ...visitor() };

const pendingClick = () => waiting().findLast(({ path }) => path === "click")?.fields;

const common = () => ({ cid: accountId(), consent: options.consent, domain: cookieDomain() });
