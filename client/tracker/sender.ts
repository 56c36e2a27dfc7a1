import { post, type Outcome } from "./post.ts";
import { drop, keep, keepOnly, waiting, type Item } from "./queue.ts";
import { become, visitor } from "./visitor.ts";

const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;

/** What came of the page's events, so that a page that repeats itself sends nothing. */
let outcomes: Record<string, Promise<Outcome>> = {};
let delayMs = FIRST_DELAY_MS;
/** The one timer, until its round of tries is over. */
let timer = 0;
/** Ends with each consent. */
let consent = new AbortController();

/** Records an event once: keeps it until the server has answered, on later pages too, and sends it. */
export function record(path: string, fields: object): Promise<Outcome> {
  const text = JSON.stringify(fields, textOf);
  const item = { path, fields: JSON.parse(text), at: Date.now() + Math.random(), tries: 0 };
  return (outcomes[path + text] ||= send(item));
}

/** Resolves when the page's events have been answered, or wait. */
export const settled = (): Promise<unknown> => Promise.all(Object.values(outcomes));

/** Tries what waits after the delay. */
export function retryLater(ms = delayMs): void {
  if (!timer && waiting()[0]) timer = setTimeout(retry, ms) as never;
}

/** Forgets all events, also for other tabs, and stops what is under way. */
export function forgetEvents(): void {
  consent.abort();
  consent = new AbortController();
  outcomes = {};
  keepOnly([]);
}

/** One after the other. What can't be sent is passed over, and has its next turn later. */
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
  // What the server has set itself is left alone, because it may live longer.
  if (tid && !(isKnown && has_cookies)) become(answer, cookie_days!);
  // A link that leads to nobody makes no visitor.
  if (tid === null && isKnown) become({}, -1);
}

/** What has no value is left out, never sent as the text "null"; what is more than a text is sent as JSON. */
const textOf = (name: string, value: unknown): unknown =>
  name && typeof value === "object" && value ? JSON.stringify(value) : (value ?? undefined);
