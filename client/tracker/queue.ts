import { quietly } from "./quietly.ts";

/** An event that the server has not answered yet. */
export interface Item {
  path: string;
  /** The fields to post. */
  fields: Record<string, string>;
  /** When it was made, in milliseconds. A random fraction makes it unique. */
  at: number;
  /** The number of failed tries. */
  tries: number;
}

const NAME = "_svc_q";
const DAY_MS = 86_400_000;
const MAX_TRIES = 100;
const MAX_ITEMS = 20;

/** Used if the page may not store, or if the visitor does not want it. */
let memory: Item[] = [];

/** Global Privacy Control: store nothing until the server has allowed it. */
export const isPrivate = (): boolean | undefined =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;

/** The waiting events, oldest first. They are read each time, because other tabs change them. */
export const waiting = (): Item[] =>
  quietly(() => (JSON.parse(localStorage[NAME]) as Item[]).filter(isWorthATry)) || memory.filter(isWorthATry);

/** Puts an event last, in its present state. */
export const keep = (item: Item): void => keepOnly([...others(item), item]);

/** Removes an event. */
export const drop = (item: Item): void => keepOnly(others(item));

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

const others = (item: Item): Item[] => waiting().filter(({ at }) => at !== item.at);

/**
 * Sign-ups hold e-mail addresses, so they are kept only for a day. Clicks are kept as long as the cookie
 * usually lives.
 */
const isWorthATry = ({ path, at, tries }: Item): boolean =>
  tries < MAX_TRIES && Date.now() - at < (path === "click" ? 60 : 1) * DAY_MS;
