import { svc } from "./index.ts";

const page = window as { svc?: { q?: Parameters<typeof svc>[] } | typeof svc };
const stub = page.svc as { q?: Parameters<typeof svc>[] } | undefined;

// Something else by our name is the page's own, or this very script loaded before: both are left alone.
if (!stub || stub.q) {
  // currentScript is null in every later callback, so it is read now; where a tag manager runs us, too.
  const script = document.currentScript as HTMLScriptElement | null;
  page.svc = svc;
  svc("set", { origin: script?.src, ...script?.dataset });
  stub?.q?.map((call) => svc(...call));
  if (script?.dataset["cid"]) svc("click");
}
