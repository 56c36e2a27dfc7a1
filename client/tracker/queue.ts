import { quietly } from "./quietly.ts";

/** An event that the server has not answered yet. */
export interface Item {
  path: string;
  /** What to post, with the page's own values. */
  fields: Record<string, unknown>;
  /** When it was made, in milliseconds. The fraction makes it unique, and lets it increase within a page. */
  at: number;
  /** The number of failed attempts, also 0 while the first file sends it. */
  tries: number;
  /** Set on a click if the server has answered a later one: it counts, but no longer determines the visitor. */
  isPast?: boolean;
}

const NAME = "_svc_q";
const MAX_ITEMS = 20;

/** Used if the page can't use storage, or the visitor objects. */
let memory: Item[] = [];

/** Global Privacy Control: store nothing until the server has allowed it. */
export const isPrivate = (): boolean | undefined =>
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl;

/**
 * All stored events, oldest first. They are read each time, because other tabs change them. Other scripts may have stored
 * anything there, so only the second file sends them, after checking each.
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
