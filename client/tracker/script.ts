import { svc } from "./call.ts";
import { options, type Options } from "./options.ts";
import { quietly } from "./quietly.ts";
import { link } from "./rest.ts";

/** Settings that the server prepends to an account's own script. */
declare const SVC_SETTINGS: (Options & { global: string }) | undefined;
/** The second file, filled in by the build: its name, its digest, and what it imports from this one. */
declare const SVC_MORE: string;
declare const SVC_DIGEST: string;
declare const SVC_PARTS: unknown[];

/** How long calls wait for the second file. */
const PATIENCE_MS = 10_000;

type Stub = { q?: Parameters<typeof svc>[] };
type Policies = { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };

const page = window as unknown as Record<string, Stub | typeof svc> & { trustedTypes?: Policies };
const { global = "svc", ...settings } = typeof SVC_SETTINGS === "undefined" ? {} : SVC_SETTINGS;
// An element with this id is also a property of the window, but not an own one.
const stub = ((Object.hasOwn(page, global) && page[global]) || { q: [] }) as Stub;

// Not within a function, whose local names could hide these.
link.parts = SVC_PARTS;

// If the name is taken, leave it alone: it is the page's own, or this script was already loaded. A stub with an empty
// queue is recognised by its text.
if (stub.q || (typeof stub === "function" && /\.q\b[^]*push/.test(`${stub}`))) {
  // currentScript is null in every later callback, so it is read now. Modules do not have it.
  const script = (document.currentScript ||
    document.querySelector("script[data-cid]") ||
    document.createElement("script")) as HTMLScriptElement;
  const folder = script.src.replace(/\/[^/?]*(\?.*)?$/, "");
  link.load = (done) => {
    // The page may be waiting for the callback.
    setTimeout(done, PATIENCE_MS);
    const url = `${folder || options.origin}/${SVC_MORE}`;
    document.head.append(
      Object.assign(document.createElement("script"), {
        src:
          page.trustedTypes?.createPolicy("svc", { createScriptURL: () => url }).createScriptURL(url) ?? url,
        nonce: script.nonce,
        crossOrigin: script.crossOrigin,
        integrity: script.integrity && SVC_DIGEST,
        onload: done,
        onerror: done,
        parts: link.parts,
      }),
    );
  };
  page[global] = svc;
  svc("set", { origin: folder, ...script.dataset, ...settings });
  for (const call of stub.q || []) quietly(() => svc(...call));
  if (script.dataset["cid"]) svc("click");
}
