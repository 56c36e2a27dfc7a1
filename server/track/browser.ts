import type { H3Event } from "h3";
import { isbot } from "isbot";
import type { Services } from "../request/services.ts";
import { parseUrl } from "../url.ts";

const judgedAgents = new Map<string, boolean>();
const MAX_JUDGED_AGENTS = 1_000;

/**
 * Whether the request comes from a bot or a prefetch. It reads only the headers.
 */
export function isUnattended({ req: { headers } }: H3Event): boolean {
  const purpose = headers.get("sec-purpose") ?? headers.get("purpose") ?? headers.get("x-moz") ?? "";
  const userAgent = headers.get("user-agent") ?? "";
  return userAgent === "" || /prefetch|prerender|preview/i.test(purpose) || isKnownBot(userAgent);
}

/** The maximum length of a host name (RFC 1035). */
const HOST = /^[a-z0-9.[\]:_-]{1,255}$/i;
const ORIGIN = /^https?:\/\/[a-z0-9.[\]:_-]{1,255}$/i;

/** Records by which host a browser reached the server. */
export function noteReach({ sightings, trustProxyHops }: Services, event: H3Event): void {
  const { headers } = event.req;
  const host = headers.get("host") ?? "";
  if (HOST.test(host)) sightings.see("host", host.toLowerCase());
  const forwarded = headers.get("x-forwarded-for")?.split(",").length ?? 0;
  if (forwarded > 0 && trustProxyHops === 0) sightings.see("proxy", "unexpected");
  if (forwarded < trustProxyHops) sightings.see("proxy", "missing");
}

/** Records which site loads the script. The demo does not count. */
export function noteScriptSite(services: Services, event: H3Event): void {
  const { headers } = event.req;
  const site = parseUrl(headers.get("referer") ?? "");
  if (site?.host === headers.get("host")) return;
  services.sightings.see("script", site !== null && ORIGIN.test(site.origin) ? site.origin : "unknown");
}

/** URL parameters of other programs' links. */
const OLD_PARAMS = [
  "via",
  "ref",
  "fpr",
  "fp_ref",
  "tolt",
  "gr_id",
  "gspk",
  "ps_partner_key",
  "ps_xid",
  "dub_id",
];

/** Records a click on a link of another program. */
export function noteOldLink(
  { sightings }: Services,
  accountId: number,
  { params, answer }: { params: Record<string, unknown>; answer: unknown },
): void {
  const isRefused = (answer as { status?: unknown }).status === "refused";
  const page = typeof params["url"] === "string" ? parseUrl(params["url"]) : null;
  if (isRefused || page === null) return;
  const name = OLD_PARAMS.find((each) => page.searchParams.has(each));
  if (name !== undefined) sightings.see("old-link", name, accountId);
}

/** The `Origin` header. Missing and malformed origins become "null". */
export function originOf(event: H3Event): string {
  const origin = event.req.headers.get("origin") ?? "";
  return ORIGIN.test(origin) ? origin : "null";
}

/** Results are cached, because testing a user agent costs as much as the rest of a click, and few are different. */
function isKnownBot(userAgent: string): boolean {
  const known = judgedAgents.get(userAgent);
  if (known !== undefined) return known;
  if (judgedAgents.size >= MAX_JUDGED_AGENTS) judgedAgents.clear();
  const isBot = isbot(userAgent);
  judgedAgents.set(userAgent, isBot);
  return isBot;
}
