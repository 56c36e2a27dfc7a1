import {
  loadPaymentConnection,
  payingAccountOf,
  secretOf,
  type PaymentConnection,
  type PaymentProviderName,
} from "../domain/ledger/payment/connection.ts";
import type { Payment, PaymentOrder } from "../domain/ledger/payment/payment.ts";
import type { Answer } from "../domain/ledger/payment/transition.ts";
import type { Seal } from "../seal.ts";
import type { Store } from "../storage/store.ts";
import { newPaypal } from "./paypal.ts";
import { newStripe } from "./stripe.ts";
import { newTremendous } from "./tremendous.ts";
import { newWise } from "./wise.ts";

/** An order to ask about. */
export interface Asked {
  order: PaymentOrder;
  payments: { payment: Payment }[];
}

/** An order to send, with the receivers of its payments: at least one. */
export interface Sending extends Asked {
  payments: { payment: Payment; payee: string; name: string }[];
}

/** What an event is about. */
export interface News {
  reference: string;
  providerId: string | null;
}

/**
 * An adapter of a provider that pays, bound to one account's connection. It knows nothing of states: it sends what it is told
 * to, and translates answers. It throws nothing but bugs. A further provider needs a module like `paypal.ts`, its name in
 * `PAYMENT_PROVIDERS`, and a line in `ADAPTERS`.
 */
export interface PaymentProvider {
  /** The most payments of one order. */
  mostPayments: number;
  /** For how long the provider refuses a repeated order, instead of executing it. Somewhat less than it promises. */
  refusesRepetitionsMs: number;
  /** Asks the provider to execute an order. */
  send(sending: Sending): Promise<Answer>;
  /** Asks what became of an order, and changes nothing. */
  find(asked: Asked): Promise<Answer>;
  /**
   * The order that an event is about, by our reference, and by the provider's id if it names that. Nothing else of the event is
   * used: the provider is asked for the rest, so that late and repeated events do no harm. null: it is about something else.
   *
   * @throws Failure `malformed` if the provider did not sign it, `unavailable` if that can't be checked now
   */
  readWebhook(body: string, headers: Headers): Promise<News | null>;
  /** What the company has at the provider, in the currency's minor unit. null: unknown. */
  balance(currency: string): Promise<number | null>;
}

/** An adapter, and the company's account that it talks to. */
export interface OpenProvider extends PaymentProvider {
  account: string;
}

/** The adapters, each bound to a connection and its secret. */
const ADAPTERS: Record<
  PaymentProviderName,
  (connection: PaymentConnection, secret: string) => PaymentProvider
> = { paypal: newPaypal, stripe: newStripe, wise: newWise, tremendous: newTremendous };

/** Opens the adapter of an account's connection. @throws Failure `not_found`, `refused` if no key opens the secret */
export async function openPaymentProvider(
  { store, seal }: { store: Store; seal: Seal },
  accountId: number,
  provider: PaymentProviderName,
): Promise<OpenProvider> {
  const connection = await loadPaymentConnection(store, accountId, provider);
  const secret = secretOf(connection, seal);
  return { ...ADAPTERS[provider](connection, secret), account: payingAccountOf(connection, secret) };
}
