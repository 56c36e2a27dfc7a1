import { svc } from "./index.ts";
import type { Options } from "./options.ts";

/** Settings that the server puts in front of an account's own script. */
declare const SVC_SETTINGS: (Options & { global: string }) | undefined;

type Stub = { q?: Parameters<typeof svc>[] };

const page = window as unknown as Record<string, Stub | typeof svc>;
const { global = "svc", ...settings } = typeof SVC_SETTINGS === "undefined" ? {} : SVC_SETTINGS;
// An element with this id is also a property of the window, but not an own one.
const stub = ((Object.hasOwn(page, global) && page[global]) || { q: [] }) as Stub;

// Something else already has our name: leave it alone. It is the page's own, or this script was loaded
// before.
if (stub.q) {
  // currentScript is null in every later callback, so it is read now. Modules do not have it.
  const script = (document.currentScript ||
    document.querySelector("script[data-cid]")) as HTMLScriptElement | null;
  page[global] = svc;
  svc("set", { origin: script?.src.replace(/\/[^/?]*(\?.*)?$/, ""), ...script?.dataset, ...settings });
  for (const call of stub.q) svc(...call);
  if (script?.dataset["cid"]) svc("click");
}
