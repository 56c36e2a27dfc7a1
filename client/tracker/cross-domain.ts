import { parse } from "./address.ts";
import { tidIn, visitor } from "./visitor.ts";

/** How long an address names the visitor to another site. A link that is shared must not make two people one. */
const LIFE_MS = 120_000;
const PARAM = "_svc_tid";

/** Sites of ours, each with its subdomains. */
let sites: string[] = [];

/** Names sites of ours in any spelling: `shop.example`, `*.shop.example`, `https://shop.example/`. */
export function addSites(domains: string | string[]): void {
  const hosts = [domains].flat().map((domain) => domain.replace(/^(\w+:)?(\/\/)?(\*?\.)?/, "http://"));
  sites = [...sites, ...hosts.map((host) => parse(host).hostname)];
}

/** An address that names the visitor, if it leads to another site of ours. */
export function decorate(address: string): string {
  const url = parse(address);
  const { tid, ref_id } = visitor();
  const isOurs = sites.some((site) => `.${url.hostname}`.endsWith(`.${site}`));
  if (!isOurs || !tid || url.hostname === location.hostname) return address;
  url.searchParams.set("svc_ref", ref_id!);
  url.searchParams.set(PARAM, tid + Date.now());
  return url.href;
}

/** Hands the visitor over in a link that is followed. */
export function decorateLink(target: Element): void {
  const link = target.closest("a[href],area[href]");
  if (link) decorateAttribute(link, "href");
}

/** Hands the visitor over in a form that is sent. One by GET makes a query of its fields alone. */
export function decorateForm(form: HTMLFormElement): void {
  const params = form.hasAttribute("action") && decorateAttribute(form, "action");
  if (!params || /post/i.test(form.getAttribute("method")!)) return;
  for (const name of ["svc_ref", PARAM]) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value: params.get(name) });
    form.append(field);
  }
}

function decorateAttribute(element: Element, name: string): URLSearchParams | undefined {
  const address = element.getAttribute(name)!;
  const decorated = decorate(address);
  if (decorated === address) return;
  element.setAttribute(name, decorated);
  return parse(decorated).searchParams;
}

/** The visitor whom another site of ours has just named in an address. */
export function handedOver(address: string): string | undefined {
  const given = parse(address).searchParams.get(PARAM) || "";
  return Date.now() - Number(given.slice(36)) < LIFE_MS ? tidIn(given) : undefined;
}

/** Takes out of the address bar what another site of ours has handed over: the address may be shared. */
export function cleanAddressBar(): void {
  const url = parse(location.href);
  if (!url.searchParams.has(PARAM)) return;
  url.searchParams.delete("svc_ref");
  url.searchParams.delete(PARAM);
  history.replaceState(history.state, "", url);
}
