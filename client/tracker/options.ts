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
  /** Replaces a new visitor id. */
  tid?: string;
  url?: string;
  /** Whether the page's own URL may identify the promoter. */
  url_tracking?: string;
  referrer?: string;
  /** Replaces the widest domain that the browser lets the page set cookies on. */
  domain?: string | undefined;
  /** The prefix of the cookies' names. */
  cookie?: string;
}

/** The page's options, shared by all parts of the script, because a page has one visitor. */
export const options: Options = {};

/** The customer's sites, as the page names them. */
export const sites: (string | string[])[] = [];

/** The page's account. */
export const accountId = (): string | undefined => options.account || options.cid;

/** Whether the script may store and send: it knows the account, has consent, and the page is visible. */
export const mayAct = (): unknown =>
  accountId() && options.consent !== "required" && !(document as { prerendering?: boolean }).prerendering;
