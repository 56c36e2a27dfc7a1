import { svc } from "./index.ts";
import type { Options } from "./options.ts";

/** What the server puts in front of the script that it serves under an account's own name. */
declare const SVC_SETTINGS: (Options & { global: string }) | undefined;

type Stub = { q?: Parameters<typeof svc>[] };

const page = window as unknown as Record<string, Stub | typeof svc>;
const { global = "svc", ...settings } = typeof SVC_SETTINGS === "undefined" ? {} : SVC_SETTINGS;
// An element with that id is a property of the window as well, but none of its own.
const stub = ((Object.hasOwn(page, global) && page[global]) || { q: [] }) as Stub;

// Something else by our name is the page's own, or this very script loaded before: both are left alone.
if (stub.q) {
  // currentScript is null in every later callback, so it is read now. Modules have none.
  const script = (document.currentScript ||
    document.querySelector("script[data-cid]")) as HTMLScriptElement | null;
  page[global] = svc;
  svc("set", { origin: script?.src.replace(/\/[^/?]*(\?.*)?$/, ""), ...script?.dataset, ...settings });
  for (const call of stub.q) svc(...call);
  if (script?.dataset["cid"]) svc("click");
}
