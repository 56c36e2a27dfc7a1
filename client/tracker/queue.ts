import { quietly, server, state, storageName } from "./state.ts";

/** An event that the server has not answered yet. */
export interface Item {
  path: "click" | "signup" | "withdraw";
  /** What to post, with the page's own values. */
  fields: Record<string, unknown>;
  /** When it was made, in milliseconds. The fraction makes it unique. Clocks are set back, so only the queue has an order. */
  at: number;
  /** The number of failed attempts, also 0 while the first file sends it. */
  tries: number;
  /** Set if the server has answered a later event: this one counts, but no longer determines the visitor. */
  isPast?: boolean;
}

const MAX_ITEMS = 20;
const TIMEOUT_MS = 10_000;

/** The events that are not stored, because the page can't use storage, or the visitor objects. */
let memory: Item[] = [];

/** Global Privacy Control: store nothing until the server has allowed it. */
export const isPrivate = (): boolean | undefined =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;

/** A withdrawal of consent that the server may not have heard. */
export const isWithdrawal = ({ path }: Item): boolean => path === "withdraw";

/**
 * All events in the order in which they were made. They are read each time, because other tabs change them. Other scripts
 * may have stored anything there.
 */
export const kept = (): Item[] => [
  ...(quietly(() =>
    [...JSON.parse(localStorage[storageName("q")] || "[]")]
      .filter((item: Item | null) => item?.fields?.["tid"])
      .slice(-MAX_ITEMS),
  ) || []),
  ...memory,
];

/** Replaces all events. */
export function keepOnly(items: Item[]): void {
  memory = items;
  quietly(() => {
    delete localStorage[storageName("q")];
    const stored = items.filter((item) => !isPrivate() || isWithdrawal(item));
    if (stored[0]) localStorage[storageName("q")] = JSON.stringify(stored);
    memory = items.filter((item) => !stored.includes(item));
  });
}

let count = 0;

/** Stores an event before anything is sent or loaded, and passes it to the second file if that is loaded. */
export function record(path: Item["path"], fields: Item["fields"]): Item {
  // A number holds today's time to 1/4096 ms. A page's events are 1/8 ms apart, and the random part tells tabs apart.
  const at = Date.now() + (count++ + Math.random() / 2) / 8;
  const item = { path, fields, at, tries: 0 };
  keepOnly([...kept(), item]);
  state.second?.send(item);
  return item;
}

/** Objects are posted as JSON, and what is missing is left out, not sent as "null". */
const postable = (name: string, value: unknown): unknown =>
  name && value && typeof value === "object" ? JSON.stringify(value) : (value ?? undefined);

/**
 * Posts fields to the server. A form needs no CORS preflight, and keepalive lets the request outlive the page. Resolves to
 * undefined if there is no answer.
 */
export async function post(path: string, fields: object): Promise<Response | undefined> {
  try {
    return await fetch(`${server()}/t/${path}`, {
      body: new URLSearchParams(JSON.parse(JSON.stringify(fields, postable))),
      credentials: "include",
      keepalive: true,
      method: "POST",
      signal: AbortSignal.timeout?.(TIMEOUT_MS) as AbortSignal,
    });
  } catch {} // the network is down, or an extension or a policy blocks the request
  return;
}
