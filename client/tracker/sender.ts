import { post, type Outcome } from "./post.ts";
import { drop, keep, keepOnly, waiting, type Item } from "./queue.ts";
import { quietly } from "./quietly.ts";
import { become, visitor } from "./visitor.ts";

/** The longest event to send. Browsers refuse more than 64 KiB in requests that may outlive their page. */
const MAX_LENGTH = 48_000;
const FIRST_DELAY_MS = 2_000;
const MAX_DELAY_MS = 300_000;

/** The results of the page's events, so that repeating an event sends nothing. */
let outcomes: Record<string, Promise<Outcome>> = {};
let delayMs = FIRST_DELAY_MS;
/** The only timer. It is set until its round of retries is over. */
let timer = 0;
/** Aborted when the visitor withdraws their consent. */
let consent = new AbortController();

/**
 * Records an event once. It sends the event and keeps it until the server has answered, if need be on later
 * pages.
 */
export async function record(path: string, fields: object): Promise<Outcome> {
  const text = quietly(() => JSON.stringify(fields, textOf));
  if (!text || encodeURIComponent(text).length > MAX_LENGTH) return { status: "refused", error: "too long" };
  const item = { path, fields: JSON.parse(text), at: Date.now() + Math.random(), tries: 0 };
  return (outcomes[contentOf(item)] ||= send(item));
}

/** Resolves when all events of the page are answered or wait for a retry. */
export const settled = (): Promise<unknown> => Promise.all(Object.values(outcomes));

/** Retries the waiting events after the delay. */
export function retryLater(ms: number = delayMs): void {
  if (!timer && waiting()[0]) timer = setTimeout(retry, Math.min(ms, MAX_DELAY_MS)) as never;
}

/** Aborts when the visitor withdraws their consent. */
export const withdrawal = (): AbortSignal => consent.signal;

/** Forgets all events, in other tabs too, and aborts running requests. */
export function forgetEvents(): void {
  consent.abort();
  consent = new AbortController();
  outcomes = {};
  keepOnly([]);
}

/** Sends events one after the other. An event that fails is skipped until the next round. */
async function retry(): Promise<void> {
  const { signal } = consent;
  for (const item of waiting()) if (!signal.aborted) await (outcomes[contentOf(item)] = send(item));
  delayMs *= 2;
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
    delayMs = Math.max(delayMs, answer.waitMs!);
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

const contentOf = ({ path, fields }: Item): string => path + JSON.stringify(fields);

/** Leaves out missing values, which would otherwise be sent as the text "null", and sends objects as JSON. */
const textOf = (name: string, value: unknown): unknown =>
  name && typeof value === "object" && value ? JSON.stringify(value) : (value ?? undefined);
