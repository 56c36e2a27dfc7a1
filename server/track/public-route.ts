import type { EventHandler, H3Event } from "h3";
import { findAccount } from "../domain/account/account.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { NO_STORE, json, type AnswerHeaders } from "../http/answer.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { corsHeaders } from "../http/cors.ts";
import { v1Error } from "../http/errors.ts";
import { readParams, type Params } from "../http/parameters/form.ts";
import type { Operation } from "../http/operation.ts";
import { rateLimitHeaders, type RateLimiter } from "../http/limits/rate-limit.ts";
import type { Account } from "../domain/account/record.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { isUnattended } from "./unattended.ts";
import { originOf, watchReach } from "./watched.ts";

/** A request of a browser on somebody's site. */
export interface PublicRequest {
  event: H3Event;
  params: Params;
  account: Account;
  context: Context;
  address: string | null;
  /** Set by the handler, sent with its answer. */
  headers: AnswerHeaders;
  /** The same: each a whole `Set-Cookie`. */
  cookies: string[];
}

/** An operation that browsers call. */
export interface PublicOperation extends Operation<PublicRequest> {
  /** What counts its requests, by the network that they come from. */
  limit?: "publicClicks" | "publicSignups";
  /**
   * The answer to bots and prefetches, which is sent before the body is read. Absent: they are answered like
   * everybody.
   */
  unattended?: object;
}

/**
 * Makes a route that browsers call from any site, without a key: the account's public `cid` says
 * whose it is.
 */
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
      watchReach(services, event);
      const context = newContext(services);
      const cookies: string[] = [];
      const value = await watched(services, { event, account }, () =>
        handle({ event, params, account, context, address, headers, cookies }),
      );
      const answer = json(value, headers);
      for (const cookie of cookies) answer.headers.append("set-cookie", cookie);
      return answer;
    } catch (error) {
      return refuse(services, event, error, { generation: "v1", shape, headers });
    }
  };
}

/** Counts what is refused for its origin: nothing else is forbidden to browsers. */
async function watched<T>(
  { lookout }: Services,
  { event, account }: Pick<PublicRequest, "event" | "account">,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isForbidden = error instanceof Failure && error.kind === "forbidden";
    if (isForbidden) lookout.seeRefusedOrigin(account.id, originOf(event));
    throw error;
  }
}

/** @throws Failure `rate_limited` before anything of the request is read */
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
