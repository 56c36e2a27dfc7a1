import type { EventHandler, H3Event } from "h3";
import { actorOf, admit } from "../request/caller.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import { empty, isAccepted, json, NO_STORE, type AnswerHeaders } from "../http/answer.ts";
import { readApiKey } from "../http/credentials.ts";
import { clientAddress } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import type { Account } from "../domain/program/account/account.ts";
import { handleAged } from "../request/aged-reads.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { vatInquiry, type VatInquiry } from "../request/vat-inquiry.ts";

/** An authenticated request. */
export interface V1Request {
  event: H3Event;
  account: Account;
  context: Context;
  /** The network address of the client, or null if unknown. */
  address: string | null;
  /** The server's own address, for links. */
  publicUrl: string;
  /** Asks VIES about a promoter's VAT number after the answer. */
  inquireVat: VatInquiry;
  /** Headers that the handler adds to its answer. */
  headers: AnswerHeaders;
}

/** An operation of V1. */
export type V1Operation = Operation<V1Request>;

/**
 * Makes the route of a V1 operation: it authenticates, checks the key's rate limit, runs the operation, and writes its
 * result or its errors.
 */
export function v1Route(services: Services, operation: V1Operation): EventHandler {
  const { shape = v1Error } = operation;
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const { account, address, keyName } = await enter(services, event, headers);
      const { publicUrl } = services;
      const context = newContext(
        services,
        operation.isTracking ? null : actorOf({ kind: "key", name: keyName }),
      );
      const inquireVat = vatInquiry(services, account.id);
      const edges = { address, publicUrl, inquireVat, headers };
      const answer = await handleAged(operation, { event, account, context, ...edges });
      if (operation.isTracking) services.sightings.see("server-call", operation.id, account.id);
      return answer === null ? empty(headers) : json(answer, headers, isAccepted(answer) ? 202 : 200);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape, headers });
    }
  };
}

/**
 * Makes a route for paths and methods that V1 does not have. Requests with a valid key still count against the limit.
 */
export function v1Refusal(services: Services, failure: Failure, given: AnswerHeaders): EventHandler {
  return async (event) => {
    const headers = { ...given };
    let error: unknown = failure;
    try {
      if (readApiKey(event) !== null) await enter(services, event, headers);
    } catch (refusal) {
      const isStranger = refusal instanceof Failure && refusal.kind === "unauthorized";
      if (!isStranger) error = refusal;
    }
    return refuse(services, event, { error, generation: "v1", shape: v1Error, headers });
  };
}

/**
 * Authenticates and counts a request. The limit's headers are set as soon as the key is known, so that error answers
 * have them too.
 *
 * @throws Failure `unauthorized` or `rate_limited`
 */
async function enter(
  services: Services,
  event: H3Event,
  headers: AnswerHeaders,
): Promise<Pick<V1Request, "account" | "address"> & { keyName: string }> {
  const address = clientAddress(event, services.trustProxyHops);
  const { account, apiKey } = await admit(services, address, readApiKey(event));
  const state = await services.limits.v1.take(apiKey.hash);
  Object.assign(headers, rateLimitHeaders(state));
  if (state?.allowed === false) throw new Failure("rate_limited", "Rate limit exceeded");
  return { account, address, keyName: apiKey.name };
}
