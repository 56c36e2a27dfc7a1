/** What a page may tell the script. All but `cid` have a usual value. */
export interface Options {
  /** The account's public id. */
  cid?: string;
  /** The server; where the script came from when left out. */
  origin?: string;
  /** Name of the URL parameter that is tried first. */
  param?: string;
  /** `required`: nothing is stored or sent before `svc("consent", true)`. */
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
}

/** The page's options. One set for all parts of the script, as a page has one visitor. */
export const options: Options = {};

/** What a parameter of the page's address says. */
export const pageParam = (name: string): string | undefined =>
  new URL(options.url || (location as never)).searchParams.get(name)?.trim();

/** The ref id that the page names or was opened with, from the first parameter that has one. */
export const pageRef = (): string | undefined =>
  options.ref_id ||
  `${options.param} svc_ref fp_ref fpr via ref a _from _by deal _go _get`
    .split(" ")
    .map(pageParam)
    .find(Boolean);
