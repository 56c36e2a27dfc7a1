import type { EventHandler, H3Event } from "h3";
import { z } from "zod";
import { actorOf, admit } from "../request/caller.ts";
import type { Context } from "../domain/context.ts";
import { Failure } from "../failure.ts";
import {
  empty,
  isAccepted,
  isStream,
  json,
  jsonArray,
  NO_STORE,
  streamed,
  type AnswerHeaders,
} from "../http/answer.ts";
import { readApiKey } from "../http/credentials.ts";
import { clientAddress } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import type { Operation } from "../http/operation.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import type { Account } from "../domain/program/account/account.ts";
import { logFailures, vatInquiry, type VatInquiry } from "../request/operation.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, trackingContext, type Services } from "../request/services.ts";
import type { BelongingFilter } from "../domain/people/promoter-campaign/search.ts";
import { id, text, refToken } from "../input/fields.ts";
import { pageParams, readPage, type Page } from "../http/pages.ts";
import { field } from "../http/fields.ts";

/** An authenticated request. */
export interface V1Request {
  event: H3Event;
  account: Account;
  context: Context;
  /** The network address of the client, or null if unknown. */
  address: string | null;
  /** The server's own address, for links. */
  public_url: string;
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
      const { public_url } = services;
      const context = (operation.isTracking ? trackingContext : newContext)(
        services,
        actorOf({ kind: "key", name: keyName }),
      );
      const inquireVat = vatInquiry(services, account.id);
      const edges = { address, public_url, inquireVat, headers };
      const answer = await operation.handle({ event, account, context, ...edges });
      if (operation.isTracking) services.sightings.see("server-call", operation.id, account.id);
      if (isStream(answer))
        return streamed(logFailures(services, jsonArray(answer)), "application/json", headers);
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
  const address = clientAddress(event, services.trust_proxy_hops);
  const { account, apiKey } = await admit(services, address, readApiKey(event));
  const state = await services.limits.v1.take(apiKey.hash);
  Object.assign(headers, rateLimitHeaders(state));
  if (state?.allowed === false) throw new Failure("rate_limited", "Rate limit exceeded");
  return { account, address, keyName: apiKey.name };
}

/** The maximum page size. @see docs/spec/common.md "Pages" */
export const MOST_PER_PAGE = 500;

/** The filters of the lists of leads and rewards. */
export const belongingParams = z
  .object({
    promotion_id: field(id, "Id of the promotion (V2: promoter campaign).", 31),
    ref_id: field(text, refToken),
    promoter_id: field(id, "Id of the promoter.", 17),
    campaign_id: field(id, "Id of the campaign.", 1),
  })
  .partial();

/** The filters by the domain's names. */
export function readBelongingFilter(params: z.output<typeof belongingParams>): BelongingFilter {
  return {
    promoter_campaign_id: params.promotion_id ?? null,
    ref_token: params.ref_id ?? null,
    promoter_id: params.promoter_id ?? null,
    campaign_id: params.campaign_id ?? null,
  };
}

/** A list's own parameters and the page parameters. */
export function listParams<S extends z.ZodObject>(params: S, usual: number) {
  return params.extend(pageParams({ usual, most: MOST_PER_PAGE }).shape);
}

/** The requested page of a V1 list. */
export function readListPage(params: Record<string, unknown>, usual: number): Page {
  return readPage(params, { usual, most: MOST_PER_PAGE });
}

/** The statuses for which `listError` differs from other errors of V1. */
export const LIST_STATUSES = { not_found: 422 } as const;

/** Like other errors of V1, but 422 if a filter names a missing record, because the list itself exists. */
export function listError(failure: Failure, headers: AnswerHeaders): Response {
  if (failure.kind === "not_found") return json({ error: failure.message }, headers, LIST_STATUSES.not_found);
  return v1Error(failure, headers);
}
