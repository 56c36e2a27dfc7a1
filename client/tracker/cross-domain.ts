import { parse, uuid } from "./address.ts";
import { quietly } from "./quietly.ts";
import { tidIn, visitor } from "./visitor.ts";

/**
 * How long an address may name the visitor to another site. Later, somebody who got the link from a friend
 * would count as the same visitor.
 */
const LIFE_MS = 120_000;
const PARAM = "_svc_tid";

/** The customer's sites. Each includes its subdomains. */
const sites: string[] = [];

/** Adds sites in any spelling: `shop.example`, `*.shop.example`, `https://shop.example/`. */
export function addSites(domains: string | string[]): void {
  for (const domain of [domains].flat())
    quietly(() => sites.push(parse(domain.replace(/^\s*(\w*:?\/\/)?(\*?\.)?/, "http://")).hostname));
}

/**
 * Adds the visitor to an address that leads to another of the customer's sites. Without a ref id, that site could not
 * report the visit.
 */
export function decorate(address: string): string {
  const url = parse(address);
  const { tid, ref_id } = visitor();
  const isOurs = sites.some((site) => `.${url.hostname}`.endsWith(`.${site}`));
  if (!isOurs || !ref_id || url.hostname === location.hostname) return address;
  url.searchParams.set("svc_ref", ref_id);
  url.searchParams.set(PARAM, `${tid}${Date.now()}`);
  return url.href;
}

/** Adds the visitor to a link that is followed. */
export const decorateLink = (link: Element): unknown => decorateAttribute(link, "href");

/** Adds the visitor to a form that is sent. A GET form drops the query of its action, so it gets a field. */
export function decorateForm(form: HTMLFormElement): void {
  const params = decorateAttribute(form, "action");
  if (!params || /post/i.test(form.getAttribute("method")!)) return;
  for (const name of ["svc_ref", PARAM]) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value: params.get(name) });
    form.append(field);
    setTimeout(() => field.remove());
  }
}

/** Changes an address until the browser has read it, so that nobody copies a link that names the visitor. */
function decorateAttribute(element: Element, name: string): URLSearchParams | undefined {
  const address = element.getAttribute(name) || "";
  const decorated = decorate(address);
  if (decorated === address) return;
  element.setAttribute(name, decorated);
  setTimeout(() => element.setAttribute(name, address));
  return parse(decorated).searchParams;
}

/**
 * The visitor that another site handed over in an address. The server gives them to the first browser that comes with
 * it, and `spare_tid` to the next one.
 */
export function handedOver(address: string): object | undefined {
  const given = parse(address).searchParams.get(PARAM) || "";
  const tid = tidIn(given);
  const handed_at = Number(given.slice(36));
  return tid && Date.now() - handed_at < LIFE_MS ? { tid, handed_at, spare_tid: uuid() } : undefined;
}

/** Removes a handed-over visitor from the address bar, because people share addresses. */
export function cleanAddressBar(): void {
  const url = parse(location.href);
  if (!url.searchParams.has(PARAM)) return;
  url.searchParams.delete("svc_ref");
  url.searchParams.delete(PARAM);
  history.replaceState(history.state, "", url);
}
