import { HANDOVER, parse } from "./address.ts";
import { quietly, sites } from "./state.ts";
import { who } from "./visitor.ts";

/** The URL parameters that hand a visitor over. */
const FIELDS = ["svc_ref", HANDOVER];

/** Whether a host belongs to one of the customer's sites. Each includes its subdomains. */
const isOurs = (host: string): boolean =>
  sites.flat().some((site) => `.${host}`.endsWith(`.${quietly(() => hostOf(site))}`));

/** The host of a site in any spelling: `shop.example`, `*.shop.example`, `https://shop.example/`. */
const hostOf = (site: string): string => parse(site.replace(/^\s*(\w*:?\/\/)?(\*?\.)?/, "http://")).hostname;

/**
 * Adds the visitor to a URL of another of the customer's sites. Without a ref id, that site could not report the visit.
 */
export function decorate(address: string): string {
  const url = parse(address);
  const { tid, ref_id } = who();
  if (!ref_id || url.hostname === location.hostname || !isOurs(url.hostname)) return address;
  url.searchParams.set("svc_ref", ref_id);
  url.searchParams.set(HANDOVER, `${tid}${Date.now()}`);
  return url.href;
}

/** Adds the visitor to a followed link. */
export const decorateLink = (link: Element): unknown => decorateAttribute(link, "href");

/** Adds the visitor to a submitted form. A GET form drops its action's query, so it gets hidden fields. */
export function decorateForm(form: HTMLFormElement, submitter?: Element | null): void {
  const own = submitter?.hasAttribute("formaction");
  const params = own ? decorateAttribute(submitter!, "formaction") : decorateAttribute(form, "action");
  const method = submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
  if (!params || /post/i.test(method!)) return;
  for (const name of FIELDS) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value: params.get(name) });
    form.append(field);
    setTimeout(() => field.remove());
  }
}

/** Changes a URL only until the browser has read it, so that people don't copy a link with the visitor. */
function decorateAttribute(element: Element, name: string): URLSearchParams | undefined {
  const address = element.getAttribute(name) || "";
  const decorated = decorate(address);
  if (decorated === address) return;
  element.setAttribute(name, decorated);
  setTimeout(() => element.setAttribute(name, address));
  return parse(decorated).searchParams;
}

/** Removes a handed-over visitor from the address bar, because people share addresses. */
export function cleanAddressBar(): void {
  const url = parse(location.href);
  if (!url.searchParams.has(HANDOVER)) return;
  for (const name of FIELDS) url.searchParams.delete(name);
  history.replaceState(history.state, "", url);
}
