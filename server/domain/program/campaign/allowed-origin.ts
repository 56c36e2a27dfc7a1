import { domainToASCII } from "node:url";
import { isLoopback, parseUrl } from "../../../url.ts";

/**
 * Whether a site is one of a campaign's: it may send sign-ups, and reports name its pages. Each entry of the list is an origin (`https://shop.example`), a host, a
 * host with its subdomains (`*.shop.example`), or `*` for all.
 *
 * An empty list allows the landing page's own site, with and without `www.`, and its subdomains. Loopback names count as
 * one site, because `localhost` and `127.0.0.1` are the same machine.
 */
export function isAllowedOrigin(
  origin: string | null,
  allowed: readonly string[],
  landingUrl: string,
): boolean {
  const entries = allowed.length > 0 ? allowed : [ownSite(landingUrl)];
  if (entries.includes("*")) return true;
  const site = origin === null ? null : parseUrl(origin);
  // URLs of other schemes belong to no website.
  if (site === null || !/^https?:$/.test(site.protocol)) return false;
  return entries.some((entry) => matches(site, entry.trim()));
}

function ownSite(landingUrl: string): string {
  const site = parseUrl(landingUrl);
  return site === null ? "" : `*.${hostOf(site).replace(/^www\./, "")}`;
}

/** Compares origins as browsers write them: lower case, no default port, Punycode. */
function matches(site: URL, entry: string): boolean {
  if (entry.includes("://")) {
    const allowed = parseUrl(entry);
    return allowed !== null && originOf(site) === originOf(allowed);
  }
  const isWithSubdomains = entry.startsWith("*.");
  const name = domainToASCII(isWithSubdomains ? entry.slice(2) : entry);
  const host = isLoopback(name) ? "localhost" : name;
  if (host === "") return false;
  return hostOf(site) === host || (isWithSubdomains && site.hostname.endsWith(`.${host}`));
}

function originOf(site: URL): string {
  return `${site.protocol}//${hostOf(site)}:${site.port}`;
}

function hostOf({ hostname }: URL): string {
  return isLoopback(hostname) ? "localhost" : hostname;
}
