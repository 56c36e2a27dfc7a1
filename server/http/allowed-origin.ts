import { domainToASCII } from "node:url";

/**
 * Whether a site may send sign-ups. Each entry of the list is an origin (`https://shop.example`), a
 * host, a host with its subdomains (`*.shop.example`), or `*` for all.
 *
 * Choice: an empty list allows the landing page's own site, with and without `www.`, and its
 * subdomains.
 */
export function isAllowedOrigin(
  origin: string | null,
  allowed: readonly string[],
  landingUrl: string,
): boolean {
  const entries = allowed.length > 0 ? allowed : [ownSite(landingUrl)];
  if (entries.includes("*")) return true;
  if (origin === null || !URL.canParse(origin)) return false;
  const site = new URL(origin);
  // Other schemes have no host, or one that says nothing about the web.
  if (!/^https?:$/.test(site.protocol)) return false;
  return entries.some((entry) => matches(site, entry.trim()));
}

function ownSite(landingUrl: string): string {
  if (!URL.canParse(landingUrl)) return "";
  return `*.${new URL(landingUrl).hostname.replace(/^www\./, "")}`;
}

/** Entries are compared as browsers write origins: in lower case, without the usual port, in Punycode. */
function matches(site: URL, entry: string): boolean {
  if (entry.includes("://")) return URL.canParse(entry) && site.origin === new URL(entry).origin;
  if (!entry.startsWith("*.")) return site.hostname === domainToASCII(entry);
  const host = domainToASCII(entry.slice(2));
  return host !== "" && (site.hostname === host || site.hostname.endsWith(`.${host}`));
}
