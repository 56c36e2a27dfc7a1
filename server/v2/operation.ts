import type { EventHandler, H3Event } from "h3";
import { admit } from "../request/admission.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { NO_STORE, json, text, type AnswerHeaders } from "../http/answer.ts";
import { readAccountId, readBearer } from "../http/auth.ts";
import { clientAddress } from "../http/client-address.ts";
import { v2Error } from "../http/errors.ts";
import type { Method, Operation } from "../http/operation.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import type { Post } from "../outgoing/post.ts";
import type { Account } from "../domain/account/record.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { ignoredFieldsHeader } from "./ignored-fields.ts";

/** A request of a known account. */
export interface V2Request {
  event: H3Event;
  account: Account;
  context: Context;
  /** The server's own address, for links. */
  publicUrl: string;
  /** Posts to receivers of webhooks. */
  post: Post;
  /** The handler sets these; they are sent with its answer. */
  headers: AnswerHeaders;
}

/** An operation of V2. */
export type V2Operation = Operation<V2Request>;

/** An operation and its route. */
export type V2Row = [Method, path: string, V2Operation];

/**
 * Makes the route of a V2 operation: it authenticates by bearer token and `Account-ID`, counts against the
 * account's limit, answers with the operation's result, and writes refusals in its shape.
 */
export function v2Route(services: Services, operation: V2Operation): EventHandler {
  const { handle, body, media, shape = v2Error, status = 200 } = operation;
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const account = await authenticate(services, event);
      const state = await services.limits.v2.take(String(account.id));
      Object.assign(headers, rateLimitHeaders(state));
      if (state?.allowed === false) throw new Failure("rate_limited", "Rate limit exceeded");
      const { publicUrl, post } = services;
      const context = newContext(services);
      const answer = await handle({ event, account, context, publicUrl, post, headers });
      Object.assign(headers, ignoredFieldsHeader(event, body));
      if (media !== undefined) return text(String(answer), media, headers);
      return json(answer, headers, status);
    } catch (error) {
      Object.assign(headers, ignoredFieldsHeader(event, body));
      return refuse(services, event, error, { generation: "v2", shape, headers });
    }
  };
}

/** @see docs/spec/common.md "Authentication", 2 */
async function authenticate(services: Services, event: H3Event): Promise<Account> {
  const address = clientAddress(event, services.trustProxyHops);
  const { account } = await admit(services, address, readBearer(event));
  const accountId = readAccountId(event);
  if (accountId === null) throw new Failure("unauthorized", "The Account-ID header is missing");
  if (accountId !== account.publicId) {
    throw new Failure("forbidden", "The access token does not belong to this account");
  }
  return account;
}
