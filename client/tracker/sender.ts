import { become } from "./become.ts";
import { handedOver } from "./handover.ts";
import { post } from "./post.ts";
import { accountId } from "./options.ts";
import { keepOnly, kept, type Item } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { link } from "./rest.ts";
import type { Outcome } from "./result.ts";
import { visitor } from "./visitor.ts";

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;
const DAY_MS = 86_400_000;
const MAX_TRIES = 100;
/** The maximum length of an event. Browsers refuse keepalive requests of more than 64 KiB. */
const MAX_LENGTH = 48_000;

/** The results of the page's events, so that a repeated event is not sent. Replaced when consent is withdrawn. */
let outcomes: Record<string, Promise<Outcome>> = {};
/** The request of the last click. The next click waits for it, so that the last link wins. */
let lastClick: Promise<unknown> | undefined;
let delayMs = FIRST_DELAY_MS;
/** The only timer. It stays set until its round of retries has ended. */
let timer = 0;

/**
 * The events to send. Sign-ups contain e-mail addresses, so they are kept only for a day, and clicks for the usual lifetime
 * of the cookie.
 */
export const waiting = (): Item[] =>
  kept().filter(
    (item: Item | null) =>
      item?.fields?.["tid"] &&
      item.tries < MAX_TRIES &&
      Math.abs(Date.now() - item.at) < (item.path === "click" ? 60 : 1) * DAY_MS,
  );

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
export async function readAnswer(path: string, request: Promise<Response | undefined>): Promise<Outcome> {
  let waitMs = 0;
  try {
    const response = (await request)!;
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
  for (const item of waiting()) if (own === outcomes) await (own[contentOf(item)!] = send(item, now));
  delayMs *= 2;
  timer = 0;
  retryLater();
}

async function send(item: Item, now?: number): Promise<Outcome> {
  const { path, fields, tries } = item;
  const own = outcomes;
  keepOnly([...others(item), { ...item, tries: tries + 1 }]);
  const sent = link.sent?.item.at === item.at ? link.sent.answer : undefined;
  if (sent) link.sent = undefined;
  const go = () => readAnswer(path, sent || post(path, { ...handedOver(item), ...since(item, now) }));
  const isClick = path === "click";
  const request = isClick && lastClick ? lastClick.then(go) : go();
  if (isClick) lastClick = request;
  const answer = await request;
  if (own !== outcomes) return withdraw(answer.tid || (fields["tid"] as string));
  if (answer.status !== "waiting") accept(item, answer);
  else {
    delayMs = Math.max(delayMs, answer.waitMs!);
    retryLater();
  }
  return answer;
}

/** Fields by which the server recognises whether the visitor has followed a later link since the event. */
function since({ fields, at }: Item, now?: number): object {
  const { tid } = visitor();
  return {
    ...(now && { age: Math.round(now - at) }),
    ...(tid && tid !== fields["tid"] && { cookie_tid: tid }),
  };
}

function accept(item: Item, answer: Outcome): void {
  const { tid, has_cookies, cookie_days } = answer;
  keepOnly(
    others(item).map((other) => ({ ...other, isPast: other.isPast || (!!tid && other.at < item.at) })),
  );
  // Once the visitor is known, earlier clicks need not wait any more.
  if (link.click && (tid ? link.click.at <= item.at : link.click.at === item.at)) link.click = undefined;
  delayMs = FIRST_DELAY_MS;
  const isKnown = visitor().tid === (tid || item.fields["tid"]);
  // Cookies that the server has set are kept, because they may live longer.
  if (tid && !(isKnown && has_cookies)) become(answer, cookie_days!);
  // A link without a promoter makes no visitor.
  if (tid === null && isKnown) become({}, -1);
}

/** Removes the cookies of an answer that came after consent was withdrawn. */
function withdraw(tid: string | undefined): Outcome {
  if ((visitor().tid || tid) === tid) become({}, -1);
  void post("withdraw", { cid: accountId(), tid });
  return { status: "refused" };
}

/** All other waiting events. */
const others = (item: Item): Item[] => waiting().filter(({ at }) => at !== item.at);

/** The content that identifies an event, or undefined if it can't be sent. */
function contentOf({ path, fields }: Item): string | undefined {
  const text = quietly(() => JSON.stringify(fields));
  return text && encodeURIComponent(text).length < MAX_LENGTH ? path + text : undefined;
}
