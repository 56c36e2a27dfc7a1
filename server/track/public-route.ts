import type { EventHandler, H3Event } from "h3";
import { isbot } from "isbot";
import { findAccount, type Account } from "../domain/program/account/account.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { NO_STORE, json, withCookies, type AnswerHeaders } from "../http/answer.ts";
import { clientAddress } from "../http/client-address.ts";
import { corsHeaders } from "../http/origin.ts";
import { v1Error } from "../http/errors.ts";
import { refuseCompressed } from "../http/parameters/body.ts";
import { readParams, type Params } from "../http/parameters/form.ts";
import type { Operation } from "../http/operation.ts";
import { rateLimitHeaders, type RateLimitState } from "../http/limits/rate-limit.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type PublicLimitName, type Services } from "../request/services.ts";
import { parseUrl } from "../url.ts";

/** A request from a browser on a customer's site. */
export interface PublicRequest {
  event: H3Event;
  params: Params;
  account: Account;
  context: Context;
  address: string | null;
  /** Headers that the handler adds to its answer. */
  headers: AnswerHeaders;
  /** Cookies that the handler adds to its answer. */
  cookies: string[];
}

/** An operation that browsers call. */
export interface PublicOperation extends Operation<PublicRequest> {
  /** In which it is counted: by network and minute, and by account and day. */
  limit: PublicLimitName;
  /**
   * The answer to bots and prefetches, sent before the body is read. Without it, they are treated like browsers.
   */
  unattended?: object;
}

/** Makes a route that browsers call from any site without a key. The public `cid` identifies the account. */
export function publicRoute(services: Services, operation: PublicOperation): EventHandler {
  const { handle, unattended, shape = v1Error } = operation;
  const limit = services.limits[operation.limit];
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE, ...corsHeaders(event) };
    try {
      const address = clientAddress(event, services.trust_proxy_hops);
      refuseOver(await limit.takeRequest(address), headers, "Too many requests from this address");
      refuseCompressed(event);
      if (unattended !== undefined && isUnattended(event)) return json(unattended, headers);
      const params = await readParams(event);
      const account = await loadByCid(services, params["cid"]);
      refuseOver(await limit.takeRecord(account.id, address), headers, "Too many requests today");
      noteReach(services, event);
      const context = newContext(services);
      const cookies: string[] = [];
      const value = await countingRefusedOrigins(services, { event, account }, () =>
        handle({ event, params, account, context, address, headers, cookies }),
      );
      if (operation.limit === "publicClicks") noteOldLink(services, account.id, { params, answer: value });
      return withCookies(json(value, headers), cookies);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape, headers });
    }
  };
}

/** Counts requests that are refused because of their origin, the only reason for `forbidden` here. */
async function countingRefusedOrigins<T>(
  { sightings }: Services,
  { event, account }: Pick<PublicRequest, "event" | "account">,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isForbidden = error instanceof Failure && error.kind === "forbidden";
    if (isForbidden) sightings.seeRefusedOrigin(account.id, originOf(event));
    throw error;
  }
}

/** @throws Failure `rate_limited` if the request is over a limit */
function refuseOver(state: RateLimitState | null, headers: AnswerHeaders, message: string): void {
  if (state?.allowed !== false) return;
  Object.assign(headers, rateLimitHeaders(state));
  throw new Failure("rate_limited", message);
}

async function loadByCid({ store }: Services, cid: Params[string] | undefined): Promise<Account> {
  const account = typeof cid === "string" ? await findAccount(store, cid) : null;
  if (account === null) throw new Failure("not_found", "The account (cid) was not found");
  return account;
}

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
export function noteReach({ sightings, trust_proxy_hops }: Services, event: H3Event): void {
  const { headers } = event.req;
  const host = headers.get("host") ?? "";
  if (HOST.test(host)) sightings.see("host", host.toLowerCase());
  const forwarded = headers.get("x-forwarded-for")?.split(",").length ?? 0;
  if (forwarded > 0 && trust_proxy_hops === 0) sightings.see("proxy", "unexpected");
  if (forwarded < trust_proxy_hops) sightings.see("proxy", "missing");
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
function noteOldLink(
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
function originOf(event: H3Event): string {
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
