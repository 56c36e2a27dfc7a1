import { HANDOVER, parse, sendable, uuid } from "./address.ts";
import { findDomain, writeVisitor } from "./cookie.ts";
import { record } from "./event.ts";
import { accountId, options } from "./options.ts";
import { post } from "./post.ts";
import { isPrivate, type Item } from "./queue.ts";
import { landingPage, refIds } from "./referral.ts";
import { link } from "./rest.ts";
import { visitor, type Visitor } from "./visitor.ts";

/** How long a visitor is stored until the server has answered. */
const COOKIE_DAYS = 60;

/** The ref ids that this page handled last, or the URL that may identify a promoter by itself. */
let seen: string | undefined;

/**
 * Records the click on a referral link, unless the visitor already belongs to its promoter. It makes a new tid, so that a
 * request that is sent twice counts once. For a second link of the same promoter, the server answers with the known
 * visitor. Returns undefined if there is no click to record.
 */
export function click(): Item | undefined {
  const url = landingPage(seen === undefined);
  const ref_id = refIds(url);
  const sign = ref_id || (options.url_tracking ? url : "");
  const isSeen = sign === seen;
  seen = sign || seen || "";
  // The first read of cookies and storage takes milliseconds, so pages without a referral read neither.
  if (!sign || isSeen) return;
  const known = who();
  if (known.tid && (!ref_id || ref_id === known.ref_id)) return;
  const { tid: cookie_tid } = visitor();
  const visit = { tid: options.tid || uuid(), ref_id };
  const handed_over = options.tid ? undefined : parse(url).searchParams.get(HANDOVER);
  // So other pages of the site know the visitor immediately, and can report the click if this page can't.
  if (ref_id && !cookie_tid && !isPrivate()) writeVisitor(visit, COOKIE_DAYS);
  const fields = {
    ...common(),
    ...visit,
    cookie_tid,
    handed_over,
    former_id: options.former_id,
    url: sendable(url),
    referrer: sendable(options.referrer ?? document.referrer),
    url_tracking: options.url_tracking,
  };
  const item = (link.click = record("click", fields));
  // The page may be left before the second file is loaded. That file sends later clicks, each after the previous answer.
  if (!link.rest && !handed_over) link.sent ??= { item, answer: post("click", fields) };
  return item;
}

/** Drops the waiting click, and makes the page handle its URL again. */
export const forgetClicks = (): void => void (seen = link.click = undefined);

/**
 * Signs up a person, and reports their visit, so that the server can record both. Returns `true` if there is no person yet.
 */
export function signUp(person?: object): Item | true | undefined {
  // The page may call this first.
  click();
  const visit = link.click?.fields || { ...common(), ...visitor() };
  return visit["tid"] ? !person || record("signup", { ...person, ...visit }) : undefined;
}

/** The visitor, even if the server does not know them yet. */
export function who(): Visitor {
  const { tid, ref_id } = link.click?.fields || visitor();
  return { tid, ref_id } as Visitor;
}

const common = () => ({ cid: accountId(), consent: options.consent, domain: findDomain() });
