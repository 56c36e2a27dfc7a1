import type { EventHandler, H3Event } from "h3";
import { findAccount } from "../domain/program/account/account.ts";
import { loadConnection, notConnected, type BillingProvider } from "../domain/ledger/billing/connection.ts";
import { Failure, type FailureKind } from "../failure.ts";
import { NO_STORE, json, type AnswerHeaders } from "../http/answer.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import { readBody } from "../http/parameters/body.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { openProvider, translate } from "./provider.ts";
import type { Recorded } from "./record/source.ts";
import { recordEvent } from "./record/record.ts";

/** An invoice with many lines makes a large event. */
const MAX_BYTES = 1024 * 1024;

/**
 * Receives the events of a billing provider. Its signature is the only key. The answer says how the event was
 * handled, for readers of the provider's log; after any status but 200 the provider sends the event again.
 */
export function hookRoute(services: Services, provider: BillingProvider): EventHandler {
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const address = clientAddress(event, services.trustProxyHops);
      const state = await services.limits.hooks.take(networkOf(address));
      if (state?.allowed === false) {
        Object.assign(headers, rateLimitHeaders(state));
        throw new Failure("rate_limited", "Too many events from this address");
      }
      return json(await takeEvent(services, event, provider), headers);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: hookError, headers });
    }
  };
}

async function takeEvent(services: Services, event: H3Event, provider: BillingProvider): Promise<Recorded> {
  const body = await readBody(event, MAX_BYTES);
  const context = newContext(services);
  const account = await findAccount(context.store, String(event.context.params?.["account"]));
  if (account === null) throw notConnected(provider);
  const adapter = await openProvider(await loadConnection(context.store, account.id, provider));
  const verified = await adapter.verify(body, event.req.headers, context.now);
  services.sightings.see("billing-event", provider, account.id);
  const reported = await translate(adapter, verified);
  return recordEvent({ context, account, provider, lookUp: adapter.lookUp }, reported);
}

const RECORD_FAULTS = new Set<FailureKind>(["invalid", "taken", "rule_broken"]);

/** `{error}` for every refusal, for readers of the provider's log. */
function hookError(failure: Failure, headers: AnswerHeaders): Response {
  return RECORD_FAULTS.has(failure.kind)
    ? json({ error: failure.message }, headers, 422)
    : v1Error(failure, headers);
}
