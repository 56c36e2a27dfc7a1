import { svc } from "./index.ts";

const page = window as { svc?: { q?: Iterable<string>[] } | typeof svc };
const stub = page.svc as { q?: Iterable<string>[] } | undefined;

// Something else by our name is the page's own, or this very script loaded before: both are left alone.
if (!stub || stub.q) {
  // currentScript is null in every later callback, so it is read now.
  const { src = "", dataset = {} } = (document.currentScript || {}) as Partial<HTMLScriptElement>;
  page.svc = svc;
  svc("set", { origin: src.replace(/\/[^/]*$/, ""), ...dataset });
  for (const call of stub?.q || []) svc(...(call as [string]));
  if (dataset["cid"]) svc("click");
}
