import type { BillingConnection, BillingProvider } from "../domain/billing/connection.ts";
import type { Lead } from "../domain/lead/lead.ts";
import type { Nothing, Payer, Told } from "./told.ts";

/** An event in the provider's own form. */
export interface ProviderEvent {
  type: string;
  /** When it happened. */
  at: Date;
  /** When the provider signed it. null: it was listed by the provider's API. */
  signedAt: Date | null;
  data: unknown;
}

/**
 * An adapter of a billing provider, bound to one account's connection. A further provider needs a module like
 * `stripe/stripe.ts`, its name in `BILLING_PROVIDERS`, and a line in `openProvider`.
 */
export interface Provider {
  /**
   * Checks the signature of a request with the provider's own package.
   *
   * @throws Failure `malformed` if it is not the provider's, or too old
   */
  verify(body: string, headers: Headers, now: Date): Promise<ProviderEvent>;
  /** Translates an event into our words. It may ask the provider's API for what the event leaves out. */
  toOperation(event: ProviderEvent): Promise<Told | Nothing>;
  /** The API's knowledge of a payer besides the event. null: none, or the connection has no API key. */
  lookUp(customerId: string): Promise<Payer | null>;
  /** The events since an instant, newest first. @throws Failure `refused` without an API key */
  list(since: Date): AsyncGenerator<ProviderEvent>;
  /** All payments and refunds of a lead, in any order. @throws Failure `refused` without an API key */
  history(lead: Lead): AsyncGenerator<Told | Nothing>;
}

/** The adapter of a connection. Providers' packages are loaded only by accounts that use them. */
export async function openProvider(connection: BillingConnection): Promise<Provider> {
  const { newProvider } = await MODULES[connection.provider]();
  return newProvider(connection);
}

const MODULES: Record<BillingProvider, () => Promise<{ newProvider(of: BillingConnection): Provider }>> = {
  stripe: () => import("./stripe/stripe.ts"),
  paddle: () => import("./paddle/paddle.ts"),
};
