import { HANDOVER, parse, refIds, sendable, uuid } from "./address.ts";
import { isPrivate, post, record, type Item } from "./queue.ts";
import { accountId, options, state } from "./state.ts";
import { findDomain, visitorInCookies, waitingClick, who, writeVisitor } from "./visitor.ts";

/** How long the cookies of a visitor live whom the server has not confirmed, in seconds. */
const UNCONFIRMED_S = 86_400;

/**
 * The ref ids that this page handled last, or the URL that may identify a promoter by itself. Undefined before the first
 * look.
 */
let seen: string | undefined;

/**
 * Records the click on a referral link, unless the visitor already belongs to its promoter. It makes a new tid, so that a
 * request that is sent twice counts once. For a second link of the same promoter, the server answers with the known
 * visitor. Returns undefined if there is no click to record.
 */
export function click(): Item | undefined {
  const url = landingPage();
  const ref_id = refIds(url);
  const sign = ref_id || (options.url_tracking ? url : "");
  const isSeen = sign === seen;
  seen = sign || seen || "";
  // The first read of cookies and storage takes milliseconds, so pages without a referral read neither.
  if (!sign || isSeen) return;
  const known = who();
  if (known.tid && (!ref_id || ref_id === known.ref_id)) return;
  const handed_over = (!options.tid && parse(url).searchParams.get(HANDOVER)) || undefined;
  const { tid: cookie_tid } = visitorInCookies();
  const visit = { tid: options.tid || uuid(), ref_id };
  // So other subdomains know the visitor immediately, and can report the visit if this page can't.
  if (ref_id && !cookie_tid && !isPrivate()) writeVisitor(visit, UNCONFIRMED_S);
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
  const item = record("click", fields);
  // The page may be left before the second file is loaded. That file sends later clicks, each after the previous answer.
  if (!state.second && !handed_over && !state.sent[0]) state.sent.push({ item, answer: postSoon(item) });
  return item;
}

/** Posts a click at the end of the task, in which consent may be withdrawn. */
const postSoon = (item: Item): Promise<Response | undefined> =>
  Promise.resolve().then(() => (state.sent[0]?.item === item ? post("click", item.fields) : undefined));

/**
 * The URL with the referral. On the first look, this may be different from the page's: the URL that the page was opened
 * with, which a router may have changed, or, for an unknown visitor, the previous page's.
 */
function landingPage(): string {
  const page = options.url || location.href;
  const { referrer } = document;
  const isOurs = referrer.startsWith(`${location.origin}/`) && refIds(referrer);
  const opened = performance.getEntriesByType("navigation")[0]?.name;
  const others = seen === undefined ? [opened, isOurs && !who().tid && referrer] : [];
  return [page, ...others].find((url) => url && refIds(url)) || page;
}

/** Makes the page handle its URL again. */
export const lookAgain = (): void => void (seen = undefined);

/**
 * Signs up a person, and reports their visit, so that the server can record both. Returns `true` if there is no person yet.
 */
export function signUp(person?: object): Item | true | undefined {
  // The page may call this first.
  click();
  const visit: Item["fields"] = waitingClick()?.fields || { ...who() };
  if (!visit["tid"]) return;
  return !person || record("signup", { ...person, ...common(), ...visit });
}

const common = () => ({ cid: accountId(), consent: options.consent, domain: findDomain() });
