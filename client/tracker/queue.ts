import { quietly } from "./quietly.ts";

/** An event that the server has not answered yet. */
export interface Item {
  path: string;
  /** What to post. The values are as the page gave them. */
  fields: Record<string, unknown>;
  /** When it was made, in milliseconds. The fraction makes it unique, and is higher for later events of a page. */
  at: number;
  /** The number of failed tries. 0 also while the first file sends it. */
  tries: number;
  /** Set on a click if the server has answered a later one: it counts, but no longer says who the visitor is. */
  isPast?: boolean;
}

const NAME = "_svc_q";
const MAX_ITEMS = 20;

/** Used if the page may not store, or if the visitor does not want it. */
let memory: Item[] = [];

/** Global Privacy Control: store nothing until the server has allowed it. */
export const isPrivate = (): boolean | undefined =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;

/**
 * All events that are kept, oldest first. They are read each time, because other tabs change them. Other programs may have
 * put anything there, so only the second file sends them, after a look at each.
 */
export const kept = (): Item[] =>
  quietly(() => localStorage[NAME] && [...JSON.parse(localStorage[NAME])].slice(-MAX_ITEMS)) || memory;

/** Replaces all events. */
export function keepOnly(items: Item[]): void {
  memory = items.slice(-MAX_ITEMS);
  quietly(() => {
    delete localStorage[NAME];
    if (isPrivate() || !items[0]) return;
    localStorage[NAME] = JSON.stringify(memory);
    memory = [];
  });
}
