import type { EventHandler, H3Event } from "h3";
import { findAccount } from "../domain/program/account/account.ts";
import { PROCESS } from "../domain/access/audit/audit.ts";
import { PROVIDER_WORDS, type PaymentProviderName } from "../domain/ledger/payment/connection.ts";
import { Failure } from "../failure.ts";
import { NO_STORE, json, type AnswerHeaders } from "../http/answer.ts";
import { clientAddress, networkOf } from "../http/client-address.ts";
import { v1Error } from "../http/errors.ts";
import { rateLimitHeaders } from "../http/limits/rate-limit.ts";
import { readBody } from "../http/parameters/body.ts";
import { refuse } from "../request/refusal.ts";
import { newContext, type Services } from "../request/services.ts";
import { handlePaymentEvent } from "./send.ts";

const MAX_BYTES = 256 * 1024;

/** The path that a provider posts events about an account's payments to. */
export function paymentHookPath(provider: PaymentProviderName, publicId: string): string {
  return `/hooks/payments/${provider}/${publicId}`;
}

/** Receives the events of a payment provider, which only a signature authenticates. */
export function paymentHookRoute(services: Services, provider: PaymentProviderName): EventHandler {
  return async (event) => {
    const headers: AnswerHeaders = { ...NO_STORE };
    try {
      const address = clientAddress(event, services.trust_proxy_hops);
      const state = await services.limits.hooks.take(networkOf(address));
      if (state?.allowed === false) {
        Object.assign(headers, rateLimitHeaders(state));
        throw new Failure("rate_limited", "Too many events from this address");
      }
      return json({ result: (await takeEvent(services, event, provider)) ? "asked" : "unknown" }, headers);
    } catch (error) {
      return refuse(services, event, { error, generation: "v1", shape: v1Error, headers });
    }
  };
}

async function takeEvent(
  services: Services,
  event: H3Event,
  provider: PaymentProviderName,
): Promise<boolean> {
  const body = await readBody(event, MAX_BYTES);
  const { store, chance } = newContext(services, PROCESS);
  const account = await findAccount(store, String(event.context.params?.["account"]));
  const words = `The account is not connected with ${PROVIDER_WORDS[provider]}`;
  if (account === null) throw new Failure("not_found", words);
  const run = { store, chance, actor: PROCESS, clock: services.clock, seal: services.seal };
  return handlePaymentEvent(run, account, { provider, body, headers: event.req.headers });
}
