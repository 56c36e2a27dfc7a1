import {
  loadPaymentConnection,
  payingAccountOf,
  secretOf,
  webhookKeyOf,
  type FeeRule,
  type PaymentConnection,
  type PaymentProviderName,
} from "../domain/ledger/payment/connection.ts";
import type { Payment, PaymentOrder } from "../domain/ledger/payment/payment.ts";
import type { Answer } from "../domain/ledger/payment/report.ts";
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
  /** The provider's id of the group that the drafts go into. Absent: it has no groups. */
  group_id?: string;
}

/** Groups of drafts, which a person funds together at the provider. */
export interface DraftGroups {
  mostDrafts: number;
  /** Resolves to the provider's id, or null without a clear answer. */
  open(name: string, currency: string): Promise<string | null>;
  stateOf(groupId: string): Promise<"open" | "empty" | "closed" | "unknown">;
  /** Closes a group, so that it can be funded. Resolves to whether it is closed. */
  close(groupId: string): Promise<boolean>;
}

/** An event as it arrived. */
export interface RawEvent {
  body: string;
  headers: Headers;
  now: Date;
}

/**
 * What an event is about: our reference of an order or a payment, and the provider's id of the order, if the event has it, or
 * a receiver's account at the provider.
 */
export type News = { reference: string; provider_id: string | null } | { payee: string };

/** What an adapter may know. */
export interface Credentials {
  secret: string;
  /** The key of the provider's events, or null if none was set. */
  webhookKey: string | null;
}

/**
 * An adapter for a payment provider, bound to one account's connection. It keeps no state: it sends orders and translates
 * answers. It throws only on bugs. A new provider needs a module like `paypal.ts`, its name in `PAYMENT_PROVIDERS`, and a
 * line in `ADAPTERS`.
 */
export interface PaymentProvider {
  /** The maximum number of payments in an order. */
  mostPayments: number;
  /** How long the provider refuses a repeated order instead of executing it, somewhat less than it promises. */
  refusesRepetitionsMs: number;
  /** Asks the provider to execute an order. */
  send(sending: Sending): Promise<Answer>;
  /** Asks for the state of an order, without changing anything. */
  find(asked: Asked): Promise<Answer>;
  /**
   * What an event is about, or null if it is about something else. The rest of the event is ignored and the provider asked
   * instead, so that late and repeated events do no harm.
   *
   * @throws Failure `malformed` if the provider did not sign it, `unavailable` if the provider must be asked and does not answer
   */
  readWebhook(event: RawEvent): Promise<News | null>;
  /** The company's balance at the provider, in the currency's minor unit, or null if unknown. */
  balance(currency: string): Promise<number | null>;
  /** Absent: it has no groups, or makes no drafts. */
  groups?: DraftGroups;
  /** Whether payments are taken from the balance without a further step, so that it must suffice. */
  isPrepaid: boolean;
  /**
   * What the provider would charge for some payments, in the currency's minor unit, or null if it does not say. Absent: it has
   * no quotes.
   */
  quoteFee?: (amounts: number[], currency: string) => Promise<number | null>;
}

/** An adapter, and the provider account that it uses. */
export interface OpenProvider extends PaymentProvider {
  account: string;
  fee_rule: FeeRule | null;
}

/** The adapters, each bound to a connection and its credentials. */
const ADAPTERS: Record<
  PaymentProviderName,
  (connection: PaymentConnection, credentials: Credentials) => PaymentProvider
> = { paypal: newPaypal, stripe: newStripe, wise: newWise, tremendous: newTremendous };

/** Opens the adapter of an account's connection. @throws Failure `not_found`, `refused` if no key opens the secret */
export async function openPaymentProvider(
  { store, seal }: { store: Store; seal: Seal },
  accountId: number,
  provider: PaymentProviderName,
): Promise<OpenProvider> {
  const connection = await loadPaymentConnection(store, accountId, provider);
  const secret = secretOf(connection, seal);
  const adapter = ADAPTERS[provider](connection, { secret, webhookKey: webhookKeyOf(connection, seal) });
  const { fee_rule = null } = connection;
  return { ...adapter, fee_rule, account: payingAccountOf(connection, secret) };
}
