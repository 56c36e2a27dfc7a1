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
  const { hostname, origin: parsed } = new URL(origin);
  return entries.some((entry) => matches({ hostname, origin: parsed }, entry.trim().toLowerCase()));
}

function ownSite(landingUrl: string): string {
  if (!URL.canParse(landingUrl)) return "";
  return `*.${new URL(landingUrl).hostname.replace(/^www\./, "")}`;
}

function matches(site: { hostname: string; origin: string }, entry: string): boolean {
  if (entry.includes("://")) return site.origin === entry.replace(/\/$/, "");
  if (!entry.startsWith("*.")) return site.hostname === entry;
  const host = entry.slice(2);
  return host !== "" && (site.hostname === host || site.hostname.endsWith(`.${host}`));
}
