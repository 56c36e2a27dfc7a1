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
 * `GET /fpr.js`: the script under an account's own name, and its content-hashed copy; and the content-hashed files of other
 * builds. Any other path gets 404.
 */
export function serveOtherScript(services: Services, script: StoredText) {
  const findForAccount = newAccountScripts(services, script);
  const findOfOtherBuild = newOtherBuilds(services);

  return async (event: H3Event): Promise<Response> => {
    try {
      const [, name, hash] = FILE.exec(event.url.pathname) ?? [];
      const isBuilt = name === "svc" || name === "svc-more";
      const found =
        name === undefined
          ? null
          : await (isBuilt ? findOfOtherBuild(name, hash) : findForAccount(`${name}.js`));
      if (found === null || (hash !== undefined && hash !== found.hash))
        throw new Failure("not_found", "Not found");
      return serveScript(services, { script: found, isImmutable: hash !== undefined })(event);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers: {} });
    }
  };
}

/**
 * Finds the files of the builds before this one, and of those that other servers of the store run. A browser keeps `/svc.js`
 * for an hour and asks for its second file by its hash, so it may ask for one of another build.
 */
function newOtherBuilds({ store }: Services) {
  // Strangers can't fill it: only files that are in the store get in.
  const known = new Map<string, StoredText>();

  return async (kind: string, hash: string | undefined): Promise<StoredText | null> => {
    if (hash === undefined) return null;
    const key = `${kind}.${hash}`;
    if (known.has(key)) return known.get(key)!;
    const text = await store.kept.find(kind, hash);
    if (text === null) return null;
    const made = known.get(key) ?? storeText(text);
    known.set(key, made);
    return made;
  };
}

/** Finds the script with an account's settings prepended, by the account's name for it. */
function newAccountScripts({ store }: Services, script: StoredText) {
  const text = new TextDecoder().decode(script.forms.identity);
  const stored = new Map<string, StoredText>();

  function textFor(account: Account): StoredText {
    const { global, data_global, cookie, reads_fragment } = trackerNames(account);
    const settings = JSON.stringify({
      account: account.public_id,
      global,
      cookie,
      ...(reads_fragment && { fragment: "1" }),
    });
    const alias = data_global === null ? "" : `window.${data_global}??=window.${global}`;
    const known = stored.get(settings + alias);
    if (known !== undefined) return known;
    if (stored.size >= MAX_STORED) stored.clear();
    const made = storeText(`{const SVC_SETTINGS=${settings};${text}${alias}}`);
    stored.set(settings + alias, made);
    return made;
  }

  return async (name: string): Promise<StoredText | null> => {
    const account = await findAccountByScript(store, name);
    return account && textFor(account);
  };
}
