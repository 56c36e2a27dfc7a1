import type { EventHandler, H3Event } from "h3";
import { findAccount } from "../domain/program/account/account.ts";
import { loadConnection, notConnected, type BillingProvider } from "../domain/ledger/billing/connection.ts";
import { Failure, isOutage, type FailureKind } from "../failure.ts";
import { NO_STORE, json, type AnswerHeaders } from "../http/answer.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import { readBody } from "../http/parameters/body.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { noteForgeries, receiveEvent } from "./reception.ts";
import type { Recorded } from "./record/source.ts";

/** An invoice with many lines makes a large event. */
const MAX_BYTES = 1024 * 1024;

/**
 * Receives the events of a billing provider. Its signature is the only key. The answer says how the event was
 * handled, for readers of the provider's log; after any status but 200 the provider sends the event again.
 */
export function hookRoute(services: Services, provider: BillingProvider): EventHandler {
  const forgeries: Forgeries = new Map();
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const address = clientAddress(event, services.trust_proxy_hops);
      const state = await services.limits.hooks.take(networkOf(address));
      if (state?.allowed === false) {
        Object.assign(headers, rateLimitHeaders(state));
        throw new Failure("rate_limited", "Too many events from this address");
      }
      return json(await takeEvent(services, event, { provider, forgeries }), headers);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: hookError, headers });
    }
  };
}

/** How many requests with a wrong signature are not noted yet, by account. */
type Forgeries = Map<number, number>;

async function takeEvent(
  services: Services,
  event: H3Event,
  { provider, forgeries }: { provider: BillingProvider; forgeries: Forgeries },
): Promise<Recorded> {
  const body = await readBody(event, MAX_BYTES);
  const context = newContext(services);
  const account = await findAccount(context.store, String(event.context.params?.["account"]));
  if (account === null) throw notConnected(provider);
  return receiveEvent({
    context,
    account,
    connection: await loadConnection(context.store, account.id, provider),
    body,
    headers: event.req.headers,
    is_test: false,
    later: (note) => afterwards(services, note),
    onSigned: () => services.sightings.see("billing-event", provider, account.id),
    onForged() {
      const waiting = forgeries.get(account.id) ?? 0;
      forgeries.set(account.id, waiting + 1);
      if (waiting === 0) afterwards(services, () => noteAll(forgeries, { context, account, provider }));
    },
  });
}

/** One commit notes all that have come since the last one, so that a flood of requests does not become one of commits. */
async function noteAll(forgeries: Forgeries, of: Parameters<typeof noteForgeries>[0]): Promise<void> {
  const { id } = of.account;
  try {
    for (let times = forgeries.get(id) ?? 0; times > 0; times = forgeries.get(id) ?? 0) {
      await noteForgeries(of, times);
      forgeries.set(id, (forgeries.get(id) ?? 0) - times);
    }
  } finally {
    forgeries.delete(id);
  }
}

/** The list of events can do without a note that can't be written. */
function afterwards({ afterwards: { run }, log, logOutage }: Services, note: () => Promise<unknown>): void {
  run(async () => {
    try {
      await note();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (isOutage(error)) logOutage(error);
      else log.debug({ err: error }, "an event of a billing provider could not be noted");
    }
  });
}

const RECORD_FAULTS = new Set<FailureKind>(["invalid", "taken", "rule_broken"]);

/** `{error}` for every refusal, for readers of the provider's log. */
function hookError(failure: Failure, headers: AnswerHeaders): Response {
  return RECORD_FAULTS.has(failure.kind)
    ? json({ error: failure.message }, headers, 422)
    : v1Error(failure, headers);
}
