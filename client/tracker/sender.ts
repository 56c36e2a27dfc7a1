import Cookies from "js-cookie";
import { isWithdrawal, keepOnly, kept, post, type Item } from "./queue.ts";
import { cookieName, mayAct, quietly, state, type Outcome, type Visitor } from "./state.ts";
import { findDomain, readCookie, removeVisitor, visitorInCookies, withdraw, writeCookie } from "./visitor.ts";

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;
const DAY_S = 86_400;
const DAY_MS = DAY_S * 1_000;
/** The maximum length of an event. Browsers refuse keepalive requests of more than 64 KiB. */
const MAX_LENGTH = 48_000;
/** How long a URL may hand the visitor over. After that, a friend who got the link would count as the same visitor. */
const HANDOVER_MS = 120_000;
/** How long a withdrawal is repeated, because a click that was sent before may arrive after it. */
const WITHDRAWAL_MS = 12_000;
/** The result of an event that consent was withdrawn from. */
const WITHDRAWN: Outcome = { status: "refused", error: "no consent" };

/** The results of the page's events, so that a repeated event is not sent. Replaced when consent is withdrawn. */
let outcomes: Record<string, Promise<Outcome>> = {};
/** The request of the last click. The next click waits for it, so that the last link wins. */
let lastClick: Promise<unknown> | undefined;
let delayMs = FIRST_DELAY_MS;
/** The only timer. It stays set until its round of retries has ended. */
let timer = 0;

/**
 * The events that are not too old. Sign-ups contain e-mail addresses, so they are kept only for a day, and clicks for the
 * usual lifetime of the cookie.
 */
const valid = (): Item[] =>
  kept().filter(({ path, at }) => Math.abs(Date.now() - at) < (path === "signup" ? 1 : 60) * DAY_MS);

/** The events to send: without consent, only withdrawals. The others wait for the visitor's answer. */
export const waiting = (): Item[] => valid().filter((item) => mayAct() || isWithdrawal(item));

/** Removes old events. */
export const tidy = (): void => keepOnly(valid());

/** Sends a stored event, unless the page has sent the same one before. `now` is set for events of earlier pages. */
export function sendOnce(item: Item, now?: number): unknown {
  const content = contentOf(item);
  if (!content || outcomes[content]) keepOnly(others(item));
  return content && (outcomes[content] ||= send(item, now));
}

/** The result of an event. */
export const outcomeOf = (item: Item): unknown =>
  outcomes[contentOf(item)!] || { status: "refused", error: "too long" };

/** Resolves when all events of the page are answered or wait for a retry. */
export const settled = (): Promise<unknown> => Promise.all(Object.values(outcomes));

/** Retries the waiting events after the delay. */
export function retryLater(ms: number = delayMs): void {
  if (!timer && waiting()[0]) timer = setTimeout(retry, Math.min(ms, MAX_DELAY_MS)) as never;
}

/** Ignores the answers to pending requests. */
export function forgetOutcomes(): void {
  outcomes = {};
}

/**
 * Reads an answer. Proxies, firewalls and extensions may answer instead of the server; such answers are ignored.
 */
export async function readAnswer(path: string, request: Promise<unknown>): Promise<Outcome> {
  let waitMs = 0;
  try {
    const response = (await request) as Response;
    waitMs = 1_000 * Number(response.headers.get("retry-after")) || 0;
    const answer = await response.json();
    if (response.ok && (answer.status || answer.details)) return answer;
    if (!response.ok && response.status < 500 && response.status !== 429) {
      // Tells the page's developers about a wrong account, site or field.
      console.warn(`svc: ${path} refused`, answer);
      return { ...answer, status: "refused" };
    }
  } catch {} // there is no answer, or it is truncated
  return { status: "waiting", waitMs };
}

/** Sends events one by one. A failed event is skipped until the next round. */
async function retry(): Promise<void> {
  const own = outcomes;
  // The same time for all, so that later events stay younger, even if earlier ones take long.
  const now = Date.now();
  for (const item of waiting())
    if (own === outcomes && !onTheWay(item)) await (own[contentOf(item)!] = send(item, now));
  delayMs *= 2;
  timer = 0;
  retryLater();
}

const onTheWay = ({ at }: Item) => state.sent.find(({ item }) => item.at === at);

async function send(item: Item, now?: number): Promise<Outcome> {
  const { at, path, fields } = item;
  const own = outcomes;
  keepOnly(valid().map((other) => (other.at === at ? { ...other, tries: other.tries + 1 } : other)));
  const isClick = path === "click";
  // The first file may have sent it.
  const first = onTheWay(item);
  const go = async () => {
    if (first) return readAnswer(path, first.answer);
    // Consent may be withdrawn while a click waits for the one before.
    if (own !== outcomes && !isWithdrawal(item)) return WITHDRAWN;
    return readAnswer(path, post(path, isWithdrawal(item) ? fields : visitFields(item, now)));
  };
  const request = isClick && lastClick ? lastClick.then(go) : go();
  if (isClick) lastClick = request;
  const sent = { item, answer: request };
  state.sent = [...state.sent.filter((other) => other !== first), ...(isWithdrawal(item) ? [] : [sent])];
  const answer = await request;
  state.sent = state.sent.filter((other) => other !== sent);
  dropWithdrawn();
  if (own !== outcomes && !isWithdrawal(item)) {
    // The page knew nothing of this visitor when it withdrew the others.
    if (answer.tid && answer.tid !== fields["tid"]) void withdraw(answer.tid);
    return WITHDRAWN;
  }
  if (answer.status === "waiting" || isEarly(item)) {
    delayMs = Math.max(delayMs, answer.waitMs ?? 0);
    retryLater();
  } else accept(item, answer);
  return answer;
}

/** Removes the cookies of a visitor whose withdrawal waits. The answer to a page that was left may have set them. */
export function dropWithdrawn(): void {
  const { tid } = visitorInCookies();
  if (tid && waiting().some((item) => isWithdrawal(item) && item.fields["tid"] === tid)) removeVisitor();
}

/** Whether a click that was sent before this withdrawal may still be on its way. */
const isEarly = (item: Item): boolean => isWithdrawal(item) && Math.abs(Date.now() - item.at) < WITHDRAWAL_MS;

/** What to post of a click or sign-up. */
const visitFields = (item: Item, now?: number): object => ({ ...handedOver(item), ...since(item, now) });

/**
 * The fields of an event of a visitor whom another site has handed over. The server gives that visitor to the first browser
 * that opens the URL, and `spare_tid`, which the page has made, to the next one.
 */
function handedOver({ fields: { handed_over, ...fields }, at }: Item): object {
  const handed_at = Number(`${handed_over}`.slice(36));
  return at - handed_at < HANDOVER_MS
    ? { ...fields, tid: `${handed_over}`.slice(0, 36), handed_at, spare_tid: fields["tid"] }
    : fields;
}

/** Fields by which the server recognises whether the visitor has followed a later link since the event. */
function since({ at, fields }: Item, now?: number): object {
  const { tid } = visitorInCookies();
  const events = valid();
  const itself = events.findIndex((other) => other.at === at);
  // A clock that was set back makes an event seem younger than a later one.
  const age = now && Math.max(...events.slice(itself).map((other) => now - other.at));
  return {
    ...(age && { age: Math.round(age) }),
    // The age is not enough, because a request can take long to arrive.
    ...(events[itself]?.isPast && { is_past: 1 }),
    ...(tid && { cookie_tid: tid === fields["tid"] ? undefined : tid }),
  };
}

function accept(item: Item, answer: Outcome): void {
  const { tid, has_cookies, cookie_days } = answer;
  const events = valid();
  const place = events.findIndex(({ at }) => at === item.at);
  // Another page may have got an answer before, or may have withdrawn consent. Then it knows better who the visitor is.
  const isStale = !events[place] || events[place].isPast;
  // Once the visitor is known, earlier clicks no longer determine them.
  const rest = events.map((other, index) => (tid && index < place ? { ...other, isPast: true } : other));
  keepOnly(rest.filter(({ at }) => at !== item.at));
  delayMs = FIRST_DELAY_MS;
  const isKnown = visitorInCookies().tid === (tid || item.fields["tid"]);
  // Cookies that the server has set are kept, because they may live longer.
  if (tid && !isStale && !(isKnown && has_cookies)) become(answer, cookie_days!);
  // A link without a promoter makes no visitor.
  if (item.path === "click" && !tid && isKnown) removeVisitor();
}

/** Stores a visitor for a number of days. */
function become({ tid, ref_id }: Visitor, days: number): void {
  setCookie(cookieName("tid"), tid, days);
  setCookie(cookieName("ref"), ref_id, days);
  const isKept = readCookie(cookieName("tid"));
  state.visitor = isKept ? undefined : { tid, ref_id };
}

function setCookie(name: string, value: unknown, days: number): void {
  const domain = findDomain();
  const secure = location.protocol === "https:";
  const isSet = quietly(() =>
    Cookies.set(name, `${value}`, { expires: days, domain, sameSite: "lax", secure }),
  );
  // It throws if the page has extended Object.prototype.
  if (!isSet) writeCookie(name, value, days * DAY_S);
}

/** All other events. */
const others = (item: Item): Item[] => valid().filter(({ at }) => at !== item.at);

/** The content that identifies an event, or undefined if it can't be sent. */
function contentOf({ path, fields }: Item): string | undefined {
  const text = quietly(() => JSON.stringify(fields));
  return text && encodeURIComponent(text).length < MAX_LENGTH ? path + text : undefined;
}
