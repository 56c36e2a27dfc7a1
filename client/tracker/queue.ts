import { quietly } from "./quietly.ts";

/** An event that the server has not answered yet. */
export interface Item {
  path: string;
  /** The fields to post. */
  fields: Record<string, string>;
  /** When it was made, in milliseconds. The fraction makes it unique, and is higher for later events of a page. */
  at: number;
  /** The number of failed tries. */
  tries: number;
  /** Set on a click if the server has answered a later one: it counts, but no longer says who the visitor is. */
  isPast?: boolean;
}

const NAME = "_svc_q";
const DAY_MS = 86_400_000;
const MAX_TRIES = 100;
const MAX_ITEMS = 20;
/** The script itself stores less: parsing more takes too long. */
const MAX_LENGTH = 1_000_000;

/** Used if the page may not store, or if the visitor does not want it. */
let memory: Item[] = [];

/** Global Privacy Control: store nothing until the server has allowed it. */
export const isPrivate = (): boolean | undefined =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;

/** The waiting events, oldest first. They are read each time, because other tabs change them. */
export const waiting = (): Item[] =>
  (quietly(() => stored().filter(isWorthATry)) || memory.filter(isWorthATry)).slice(-MAX_ITEMS);

/** Replaces all waiting events. */
export function keepOnly(items: Item[]): void {
  memory = items.slice(-MAX_ITEMS);
  quietly(() => {
    delete localStorage[NAME];
    if (isPrivate() || !items[0]) return;
    localStorage[NAME] = JSON.stringify(memory);
    memory = [];
  });
}

const stored = (): Item[] => localStorage[NAME].length < MAX_LENGTH && JSON.parse(localStorage[NAME]);

/**
 * Sign-ups hold e-mail addresses, so they are kept only for a day. Clicks are kept as long as the cookie
 * usually lives. Other programs may have put anything there.
 */
const isWorthATry = (item: Item | null): unknown =>
  item?.fields?.["tid"] &&
  item.tries < MAX_TRIES &&
  Math.abs(Date.now() - item.at) < (item.path === "click" ? 60 : 1) * DAY_MS;
