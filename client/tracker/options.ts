/** What a page may tell the script. All but `cid` have a usual value. */
export interface Options {
  /** The account's public id. */
  cid?: string;
  /** The same from the server, which knows whose script it has served: the page may name another program's. */
  account?: string;
  /** The server, with or without a path; where the script came from when left out. */
  origin?: string;
  /** Names of the URL parameter that are tried first, with blanks between. */
  param?: string;
  /** Set when the fragment of an address may name the promoter, as in `#/pricing?via=jane`. */
  fragment?: string;
  /** `required`: nothing is stored or sent before `svc("consent", true)`, which makes it `given`. */
  consent?: string;
  /** Stands in for the parameter of the page's address. */
  ref_id?: string;
  /** Stands in for a new visitor id. */
  tid?: string;
  url?: string;
  /** Set when the page's own address may name the promoter. */
  url_tracking?: string;
  referrer?: string;
  /** Stands in for the widest domain that the browser lets the page set cookies on. */
  domain?: string;
  /** What the names of the cookies begin with. */
  cookie?: string;
}

/** The page's options. One set for all parts of the script, because a page has one visitor. */
export const options: Options = {};

/** The account that the page is of. */
export const accountId = (): string | undefined => options.account || options.cid;

/** Whether the script may store and send: it knows whose page this is, has consent, and somebody sees the page. */
export const mayAct = (): unknown =>
  accountId() && options.consent !== "required" && !(document as { prerendering?: boolean }).prerendering;
