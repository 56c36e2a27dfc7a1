import type { Item } from "./queue.ts";
import type { Callback } from "./result.ts";

/** A call of the page. */
export interface Call {
  name: string;
  value?: unknown;
  callback?: Callback | undefined;
  /** The event that the call has recorded. */
  event?: Item | true | undefined;
}

/** The functions of the second file. */
export interface Rest {
  /** Sends a stored event. */
  send(item: Item): unknown;
  /** Answers a call whose event is stored. */
  answer(call: Call): unknown;
  /** Adds the visitor to a URL of another of the customer's sites. */
  decorate(address: string): string;
  /** Called when the page's URL has changed. */
  look(): void;
  /** Called when the visitor has given or refused consent, here or in another tab (`isHeard`). */
  consent(isGiven: boolean, isHeard?: boolean): void;
}

/** The shared state of the two files. */
export interface Link {
  /** The second file, once it is loaded. */
  rest?: Rest;
  /** Loads it. */
  load(done: () => void): void;
  /** What it imports from the first. */
  parts?: unknown[];
  /** Calls that wait for consent or for the second file. Undefined before the first call. */
  calls?: Call[];
  /** The last click while it waits for its answer. It determines the visitor. */
  click?: Item | undefined;
  /** The click that the first file has sent, and its answer. */
  sent?: { item: Item; answer: Promise<Response | undefined> } | undefined;
}

export const link: Link = { load: (done) => done() };
