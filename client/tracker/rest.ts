import { post } from "./post.ts";
import { keepOnly, type Item } from "./queue.ts";

/** What the second file does. */
export interface Rest {
  /** Sends an event that is kept already. */
  send(item: Item): unknown;
  /** The result of a call. `event` is what the first file has made of it: `true` leaves the call to the second. */
  result(call: { name: string; value: unknown; event: Item | true | undefined }): Promise<unknown>;
  /** Adds the visitor to an address of another of the customer's sites. */
  decorate(address: string): string;
  /** The page got another address. */
  look(): void;
  /** The visitor has given or refused consent, here or, if it is heard, in another tab. */
  consent(isGiven: boolean, isHeard?: boolean): void;
}

/** The second file, once it is there, the way to load it, and what it takes from this one. */
export const link: { rest?: Rest; load(done: () => void): void; parts?: unknown[] } = {
  load: (done) => done(),
};

let loading: Promise<void> | undefined;
/** The page's events that the second file has not got yet. */
let unsent: Item[] = [];

/** Loads the second file once. Resolves to undefined if the page can't have it, or not soon. */
export async function load(): Promise<Rest | undefined> {
  if (!link.rest) await (loading ??= new Promise<void>(link.load).catch(() => {}));
  sendUnsent();
  return link.rest;
}

/** Gives an event to the second file, now or when it is there. */
export function handOver(item: Item): void {
  if (link.rest) link.rest.send(item);
  else unsent.push(item);
}

/**
 * Sends what the second file has not sent: it is blocked, or the page is left too early. The events stay kept, so a later
 * page sends them again; the server counts them once.
 */
export function sendUnsent(): void {
  if (!link.rest) for (const { path, fields } of unsent.splice(0)) void post(path, fields);
}

/** Forgets all events, in other tabs too. */
export function forgetUnsent(): void {
  unsent = [];
  keepOnly([]);
}
