import type { EventHandler, H3Event } from "h3";
import { admit } from "../admission.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { json, type AnswerHeaders } from "../http/answer.ts";
import { readApiKey } from "../http/auth.ts";
import { clientAddress } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { rateLimitHeaders } from "../http/rate-limit.ts";
import type { Account } from "../records.ts";
import { refuse } from "../refusal.ts";
import { newContext, type Services } from "../services.ts";

/** A request of a known account. */
export interface V1Request {
  event: H3Event;
  account: Account;
  context: Context;
  /** The network address that the request came from. null: unknown. */
  address: string | null;
  /** The server's own address, for links. */
  publicUrl: string;
  /** Set by the handler, sent with its answer. */
  headers: AnswerHeaders;
}

/** An operation of V1. */
export type V1Operation = Operation<V1Request>;

/**
 * Makes a route of a V1 operation: authenticates, counts against the key's limit, answers 200 with
 * what it returns, and writes refusals in its shape.
 */
export function v1Route(services: Services, operation: V1Operation): EventHandler {
  const { handle, shape = v1Error } = operation;
  return async (event) => {
    let headers: AnswerHeaders = {};
    try {
      const address = clientAddress(event, services.trustProxyHops);
      const { account, apiKey } = await admit(services, address, readApiKey(event));
      const state = await services.limits.v1.take(apiKey.hash);
      headers = rateLimitHeaders(state);
      if (state?.allowed === false) throw new Failure("rate_limited", "Rate limit exceeded");
      const { publicUrl } = services;
      const context = newContext(services);
      return json(await handle({ event, account, context, address, publicUrl, headers }), headers);
    } catch (error) {
      return refuse(services, event, error, { generation: "v1", shape, headers });
    }
  };
}
