import { quietly, server, state, type Options } from "./state.ts";
import { svc } from "./svc.ts";

/** Settings that the server prepends to an account's own script. */
declare const SVC_SETTINGS: Options | undefined;
/** The second file, filled in by the build: its name, its digest, and what it imports from this one. */
declare const SVC_SECOND: string;
declare const SVC_DIGEST: string;
declare const SVC_PARTS: unknown[];

/** How long calls wait for the second file. */
const PATIENCE_MS = 10_000;

type Stub = { q?: Parameters<typeof svc>[] };
type Policies = { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } };

const page = window as unknown as Record<string, Stub | typeof svc> & { trustedTypes?: Policies };
const settings = typeof SVC_SETTINGS === "undefined" ? {} : SVC_SETTINGS;
const { global = "svc" } = settings;
// An element with this id is also a property of the window, but not an own one.
const stub = ((Object.hasOwn(page, global) && page[global]) || { q: [] }) as Stub;

// The build fills in minified names, which a function's local names could hide. So this stands outside of any function.
state.parts = SVC_PARTS;

// If the name is taken, leave it alone: it is the page's own, or this script was already loaded. A stub that was not called
// yet has no queue, and is recognised by its text.
if (stub.q?.push || (typeof stub === "function" && /\bq\b[^]*push/.test(`${stub}`))) {
  // currentScript is null in every later callback, so it is read now. Modules do not have it.
  const script = (document.currentScript ||
    document.querySelector("script[data-cid]") ||
    document.createElement("script")) as HTMLScriptElement;
  const folder = script.src.replace(/\/[^/?]*(\?.*)?$/, "");
  state.load = (done) => {
    // The page may be waiting for the callback.
    setTimeout(done, PATIENCE_MS);
    const url = `${folder || server()}/${SVC_SECOND}`;
    document.head.append(
      Object.assign(document.createElement("script"), {
        src: page.trustedTypes?.createPolicy("svc", { createScriptURL: String }).createScriptURL(url) ?? url,
        nonce: script.nonce,
        crossOrigin: script.crossOrigin,
        integrity: script.integrity && SVC_DIGEST,
        onload: done,
        onerror: done,
        parts: state.parts,
      }),
    );
  };
  page[global] = svc;
  svc("set", { origin: folder, ...script.dataset, ...settings });
  for (const call of stub.q || []) quietly(() => svc(...call));
  if (script.dataset["cid"]) svc("click");
} else if (typeof stub === "function" && "data" in stub) (stub as typeof svc)("set"); // the page has written itself anew
