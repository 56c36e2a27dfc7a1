import type { Item } from "./queue.ts";
import type { Callback } from "./result.ts";

/** A call of the page. */
export interface Call {
  name: string;
  value?: unknown;
  callback?: Callback | undefined;
  /** What the call records. */
  event?: Item | true | undefined;
}

/** What the second file does. */
export interface Rest {
  /** Sends an event that is kept already. */
  send(item: Item): unknown;
  /** Answers a call whose event is recorded. */
  answer(call: Call): unknown;
  /** Adds the visitor to an address of another of the customer's sites. */
  decorate(address: string): string;
  /** The page got another address. */
  look(): void;
  /** The visitor has given or refused consent, here or, if it is heard, in another tab. */
  consent(isGiven: boolean, isHeard?: boolean): void;
}

/** What the two files share. */
export interface Link {
  /** The second file, once it is there. */
  rest?: Rest;
  /** Loads it. */
  load(done: () => void): void;
  /** What it takes from the first. */
  parts?: unknown[];
  /** Calls that wait for consent or for the second file. undefined: nothing was called yet. */
  calls?: Call[];
  /** The last click, while it waits for its answer. It says who the visitor is. */
  click?: Item | undefined;
  /** The click that the first file has sent by itself, and the answer. */
  sent?: { item: Item; answer: Promise<Response | undefined> } | undefined;
}

export const link: Link = { load: (done) => done() };
