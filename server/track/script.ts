import type { H3Event } from "h3";
import { findAccountByScript, trackerNames, type Account } from "../domain/program/account/account.ts";
import { Failure } from "../failure.ts";
import { v1Error } from "../http/errors.ts";
import { serveStored, storeText, type StoredText } from "../http/answer.ts";
import { refuse } from "../request/refusal.ts";
import type { Services } from "../request/services.ts";
import { noteReach, noteScriptSite } from "./public-route.ts";

/** Browsers fetch `/svc.js` again after an hour, so a new version reaches all pages the same day. */
const SHORT_CACHE = "public, max-age=3600";
const LONG_CACHE = "public, max-age=31536000, immutable";

/** `GET /svc.js` and its content-hashed copy, which never changes. */
export function serveScript(
  services: Services,
  { script, isImmutable }: { script: StoredText; isImmutable: boolean },
) {
  return (event: H3Event): Response => {
    noteReach(services, event);
    noteScriptSite(services, event);
    return serveStored(event, script, {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": isImmutable ? LONG_CACHE : SHORT_CACHE,
      // Lets pages with COEP or integrity attributes load it from another site.
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
  };
}

/** Matches `/fpr.js` and, with the first digits of its hash, `/fpr.0123456789ab.js`. */
const FILE = /^\/([\w-]+)(?:\.([0-9a-f]{12}))?\.js$/;
const MAX_STORED = 100;

/**
 * `GET /fpr.js`: the script under an account's own name, with the account's settings prepended, and its content-hashed
 * copy. Any other path gets 404.
 */
export function serveAccountScript(services: Services, script: StoredText) {
  const text = new TextDecoder().decode(script.forms.identity);
  const stored = new Map<string, StoredText>();

  function textFor(account: Account): StoredText {
    const { global, dataGlobal, cookie, readsFragment } = trackerNames(account);
    const settings = JSON.stringify({
      account: account.publicId,
      global,
      cookie,
      ...(readsFragment && { fragment: "1" }),
    });
    const alias = dataGlobal === null ? "" : `window.${dataGlobal}??=window.${global}`;
    const known = stored.get(settings + alias);
    if (known !== undefined) return known;
    if (stored.size >= MAX_STORED) stored.clear();
    const made = storeText(`{const SVC_SETTINGS=${settings};${text}${alias}}`);
    stored.set(settings + alias, made);
    return made;
  }

  return async (event: H3Event): Promise<Response> => {
    try {
      const [, name, hash] = FILE.exec(event.url.pathname) ?? [];
      const account = name === undefined ? null : await findAccountByScript(services.store, `${name}.js`);
      const own = account && textFor(account);
      if (own === null || (hash !== undefined && hash !== own.hash))
        throw new Failure("not_found", "Not found");
      return serveScript(services, { script: own, isImmutable: hash !== undefined })(event);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers: {} });
    }
  };
}
