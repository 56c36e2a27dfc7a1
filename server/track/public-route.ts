import type { EventHandler, H3Event } from "h3";
import { findAccount, type Account } from "../domain/program/account/account.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { NO_STORE, json, withCookies, type AnswerHeaders } from "../http/answer.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { corsHeaders } from "../http/origin.ts";
import { v1Error } from "../http/errors.ts";
import { readParams, type Params } from "../http/parameters/form.ts";
import type { Operation } from "../http/operation.ts";
import { rateLimitHeaders, type RateLimiter } from "../http/limits/rate-limit.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { isUnattended, noteOldLink, noteReach, originOf } from "./browser.ts";

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
  /** The rate limit per network address. */
  limit?: "publicClicks" | "publicSignups";
  /**
   * The answer to bots and prefetches, sent before the body is read. Without it, they are treated like browsers.
   */
  unattended?: object;
}

/** Makes a route that browsers call from any site without a key. The public `cid` identifies the account. */
export function publicRoute(services: Services, operation: PublicOperation): EventHandler {
  const { handle, limit, unattended, shape = v1Error } = operation;
  const { limits } = services;
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE, ...corsHeaders(event) };
    try {
      const address = clientAddress(event, services.trustProxyHops);
      if (limit !== undefined) await countIn(limits[limit], address, headers);
      if (unattended !== undefined && isUnattended(event)) return json(unattended, headers);
      const params = await readParams(event);
      const account = await loadByCid(services, params["cid"]);
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

/** @throws Failure `rate_limited` before the body is read */
async function countIn(limiter: RateLimiter, address: string | null, headers: AnswerHeaders): Promise<void> {
  const state = await limiter.take(networkOf(address));
  if (state?.allowed !== false) return;
  Object.assign(headers, rateLimitHeaders(state));
  throw new Failure("rate_limited", "Too many requests from this address");
}

async function loadByCid({ store }: Services, cid: Params[string] | undefined): Promise<Account> {
  const account = typeof cid === "string" ? await findAccount(store, cid) : null;
  if (account === null) throw new Failure("not_found", "The account (cid) was not found");
  return account;
}
