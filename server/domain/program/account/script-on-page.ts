import { trackerNames, type Account } from "./account.ts";

/** The state of the script on a page. `other_account`: it names another account, or none. */
export type ScriptState = "found" | "other_account" | "tag_manager" | "not_found";

/** The script as a page loads it. */
export interface ScriptOnPage {
  state: ScriptState;
  /** The account that the page names instead, or null. */
  otherId: string | null;
}

/** The script's file names: `/svc.js`, or with the start of its hash. */
const SCRIPT = /\/svc(?:\.[0-9a-f]+)?\.js\b/i;
/** The account id: an attribute of the tag, or a value in `svc("init", {cid: "…"})`. */
const ACCOUNT_ID = /\bdata-cid\s*=\s*["']?([^"'\s>]+)|\bcid["']?\s*:\s*["']([^"']+)["']/gi;
/** Programs that load scripts dynamically, so that the page does not show which. */
const TAG_MANAGER =
  /googletagmanager\.com|\bGTM-[A-Z0-9]{4,}|cdn\.segment\.com|tags\.tiqcdn\.com|assets\.adobedtm\.com|\/matomo\.js|js\.container\b/i;
/** A commented tag loads nothing. */
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;

/**
 * Looks for the script in the HTML of a page. The account's own file name for the script identifies the
 * account as well.
 */
export function scriptOnPage(html: string, account: Account): ScriptOnPage {
  const page = html.replaceAll(COMMENT, "");
  const { script: ownFile } = trackerNames(account);
  const ids = [...page.matchAll(ACCOUNT_ID)].map(([, attribute, value]) => attribute ?? value ?? "");
  const hasOwnFile = ownFile !== null && hasFile(page, ownFile);
  if (hasOwnFile || (SCRIPT.test(page) && ids.includes(account.public_id))) {
    return { state: "found", otherId: null };
  }
  if (SCRIPT.test(page)) return { state: "other_account", otherId: ids[0] ?? null };
  return { state: TAG_MANAGER.test(page) ? "tag_manager" : "not_found", otherId: null };
}

/** `/fpr.js`, or with the start of its hash, `/fpr.0123456789ab.js`. */
function hasFile(page: string, file: string): boolean {
  const [name = ""] = file.split(".");
  return new RegExp(`/${name}(?:\\.[0-9a-f]+)?\\.js\\b`, "i").test(page);
}
