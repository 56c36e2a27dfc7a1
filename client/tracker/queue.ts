import { quietly } from "./quietly.ts";

/** An event that the server has not answered yet. */
export interface Item {
  path: string;
  /** What is posted. */
  fields: Record<string, string>;
  /** When it was made, in milliseconds, with a fraction that makes it unique. */
  at: number;
  /** Tries that failed. */
  tries: number;
}

const NAME = "_svc_q";
const DAY_MS = 86_400_000;
const MAX_TRIES = 100;
const MAX_ITEMS = 20;

/** Stands in where the page may not store, or the visitor would rather not. */
let memory: Item[] = [];

/** Global Privacy Control: nothing is stored before the server has said that it may. */
export const isPrivate = (): boolean | undefined =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;

/** The events that wait, oldest first. Read anew each time, because other tabs change them. */
export const waiting = (): Item[] =>
  quietly(() => (JSON.parse(localStorage[NAME]) as Item[]).filter(isWorthATry)) || memory;

/** Puts an event last, in its present state. */
export const keep = (item: Item): void => keepOnly([...others(item), item]);

/** Takes an event out. */
export const drop = (item: Item): void => keepOnly(others(item));

/** Replaces what waits. */
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

/** Sign-ups hold e-mail addresses, and are kept for a day. Clicks are kept as long as the cookie usually is. */
const isWorthATry = ({ path, at, tries }: Item): boolean =>
  tries < MAX_TRIES && Date.now() - at < (path === "click" ? 60 : 1) * DAY_MS;
