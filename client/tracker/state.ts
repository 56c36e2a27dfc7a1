import type { Item } from "./queue.ts";

/** The options of a page. Everything except `cid` has a default. */
export interface Options {
  /** The account's public id. */
  cid?: string;
  /**
   * The same, set by the server that served the account's script; the page may have another program's `cid`.
   */
  account?: string;
  /** The server, with or without a path. Default: where the script came from. */
  origin?: string;
  /** Names of the URL parameter to try first, separated by blanks. */
  param?: string;
  /** Whether the fragment may name the promoter, for example in `#/pricing?via=jane`. */
  fragment?: string;
  /** `required`: nothing is stored or sent until `svc("consent", true)` changes it to `given`. */
  consent?: string;
  /** Replaces the parameter in the page's address. */
  ref_id?: string;
  /** The promoter's ref id or id in the program that the company has switched from. */
  former_id?: string;
  /** A UUID that replaces a new visitor id. */
  tid?: string;
  url?: string;
  /** Whether the page's own URL may identify the promoter. */
  url_tracking?: string;
  referrer?: string;
  /** Replaces the widest domain that the browser lets the page set cookies on. */
  domain?: string | undefined;
  /** The prefix of the cookies' names. */
  cookie?: string;
  /** The name of the script's function. */
  global?: string;
}

/** The visitor, as far as this browser knows. */
export interface Visitor {
  tid?: string | undefined;
  ref_id?: string | undefined;
}

/** The result of an event. */
export interface Outcome extends Visitor {
  /**
   * `recorded`; `known`: it was recorded before and does not count again; `refused`: it will never be recorded, for the
   * reason in the other fields; `waiting`: the script will retry, because the server is unreachable, consent is missing or
   * the second file is not there.
   */
  status: "recorded" | "known" | "refused" | "waiting";
  cookie_days?: number;
  /** Whether the server has set the cookies. */
  has_cookies?: boolean;
  /** How long the server asks us to wait. */
  waitMs?: number;
  details?: object;
  error?: unknown;
}

/** Called with the result of a call. */
export type Callback = (result: never) => void;

/** A call of the page. */
export interface Call {
  name: string;
  value?: unknown;
  callback?: Callback | undefined;
  /** The event that the call has recorded. */
  event?: Item | true | undefined;
}

/** The functions of the second file. */
export interface Second {
  /** Sends a stored event. */
  send(item: Item): unknown;
  /** Answers a call whose event is stored. */
  answer(call: Call): unknown;
  /** Adds the visitor to a URL of another of the customer's sites. */
  decorate(address: string): string;
  /** Called when the page's URL may have changed. */
  look(): void;
  /** Called when consent was refused. */
  forget(): void;
  /** Listens to the page. Repeated listeners do not count. */
  listen(): void;
}

/** What the two files share. */
export interface State {
  /** The second file, once it is loaded. */
  second?: Second;
  /** Loads it. */
  load(done: () => void): void;
  /** What it imports from the first. It is kept here so that the minifier does not move it. */
  parts?: unknown[];
  /** The visitor if the page can't set cookies. */
  visitor?: Visitor | undefined;
  /**
   * The page's events whose answers are on their way. The first file sends one click at most, whose answer the second file
   * reads.
   */
  sent: { item: Item; answer: Promise<unknown> }[];
}

export const state: State = { load: (done) => done(), sent: [] };

/** The page's options, shared by all parts of the script, because a page has one visitor. */
export const options: Options = {};

/** The customer's sites, as the page names them. */
export const sites: (string | string[])[] = [];

/** The page's account. */
export const accountId = (): string | undefined => options.account || options.cid;

/** Whether the script may store and send: it knows the account, has consent, and the page is visible. */
export const mayAct = (): unknown =>
  accountId() && options.consent !== "required" && !(document as { prerendering?: boolean }).prerendering;

/** The server's address. */
export const server = (): string => (options.origin || location.origin).replace(/\/$/, "");

export const cookieName = (name: string): string => `${options.cookie || "_svc"}_${name}`;

/** A name in local or session storage. A page may have the scripts of two servers, under two names. */
export const storageName = (name: string): string => `_${options.global || "svc"}_${name}`;

let isWarned = false;

/**
 * Calls a function. Returns undefined if it throws, because a tracker must never break its page: sandboxed frames deny
 * cookies and storage, storage may be full, and pages have malformed links. The console shows the first error.
 */
export function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (!isWarned) console.warn("svc:", error);
    isWarned = true;
  }
  return;
}

/** Calls back in its own microtask, so that an error in the page's callback reaches the page. */
export function report(result: unknown, callback: Callback | undefined): void {
  if (result && typeof callback === "function") queueMicrotask(() => callback(result as never));
}
