import { post, type Outcome } from "./post.ts";
import { drop, keep, keepOnly, waiting, type Item } from "./queue.ts";
import { become, visitor } from "./visitor.ts";

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;

/** The results of the page's events, so that repeating an event sends nothing. */
let outcomes: Record<string, Promise<Outcome>> = {};
let delayMs = FIRST_DELAY_MS;
/** The only timer. It is set until its round of retries is over. */
let timer = 0;
/** Aborted when the visitor's consent changes. */
let consent = new AbortController();

/**
 * Records an event once. It sends the event and keeps it until the server has answered, if need be on later
 * pages.
 */
export function record(path: string, fields: object): Promise<Outcome> {
  const text = JSON.stringify(fields, textOf);
  const item = { path, fields: JSON.parse(text), at: Date.now() + Math.random(), tries: 0 };
  return (outcomes[path + text] ||= send(item));
}

/** Resolves when all events of the page are answered or wait for a retry. */
export const settled = (): Promise<unknown> => Promise.all(Object.values(outcomes));

/** Retries the waiting events after the delay. */
export function retryLater(ms: number = delayMs): void {
  if (!timer && waiting()[0]) timer = setTimeout(retry, ms) as never;
}

/** Forgets all events, in other tabs too, and aborts running requests. */
export function forgetEvents(): void {
  consent.abort();
  consent = new AbortController();
  outcomes = {};
  keepOnly([]);
}

/** Sends events one after the other. An event that fails is skipped until the next round. */
async function retry(): Promise<void> {
  const given = consent;
  for (const item of waiting()) if (given === consent) await send(item);
  delayMs = Math.min(2 * delayMs, MAX_DELAY_MS);
  timer = 0;
  retryLater();
}

async function send(item: Item): Promise<Outcome> {
  const { signal } = consent;
  keep({ ...item, tries: item.tries + 1 });
  const answer = await post(item.path, item.fields, signal);
  if (signal.aborted) return { status: "refused" };
  if (answer.status !== "waiting") accept(item, answer);
  else {
    delayMs = Math.min(Math.max(delayMs, answer.waitMs!), MAX_DELAY_MS);
    retryLater();
  }
  return answer;
}

function accept(item: Item, answer: Outcome): void {
  const { tid, has_cookies, cookie_days } = answer;
  drop(item);
  delayMs = FIRST_DELAY_MS;
  const isKnown = visitor().tid === (tid || item.fields["tid"]);
  // If the server has set the cookies itself, keep them, because they may live longer.
  if (tid && !(isKnown && has_cookies)) become(answer, cookie_days!);
  // A link that leads to nobody makes no visitor.
  if (tid === null && isKnown) become({}, -1);
}

/** Leaves out missing values, which would otherwise be sent as the text "null", and sends objects as JSON. */
const textOf = (name: string, value: unknown): unknown =>
  name && typeof value === "object" && value ? JSON.stringify(value) : (value ?? undefined);
