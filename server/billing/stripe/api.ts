import type Stripe from "stripe";
import { z } from "zod";
import type { BillingConnection } from "../../domain/ledger/billing/connection.ts";
import { Failure } from "../../failure.ts";
import { payerOf, type Payer } from "../event.ts";
import { isoAmount as isoAmountOf } from "../../domain/ledger/payment/provider-money.ts";

/** Shorter than the time that Stripe waits for our answer. */
const TIMEOUT_MS = 8_000;

/** The part of Stripe's API that we read. */
export interface StripeApi {
  client: Stripe;
  /** The invoice that a payment intent paid, or null. */
  invoiceOf(paymentIntent: string): Promise<string | null>;
  /** The payment intents that paid an invoice. */
  intentsOf(invoice: string): Promise<string[]>;
  /** The checkout that a payment intent or a subscription came from, in Stripe's own form, or null. */
  checkoutOf(origin: { payment_intent: string } | { subscription: string }): Promise<unknown>;
  /** The codes that customers entered for an invoice's discounts. */
  codesOf(invoice: string): Promise<string[]>;
  /** The code that a customer entered, or null if unknown. */
  promoCode(id: string): Promise<string | null>;
  payer(customerId: string): Promise<Payer | null>;
  /** What a charge captured, in Stripe's unit, or null if unknown. */
  paidBy(charge: string): Promise<number | null>;
}

/** Stripe's API for a connection, or null if it has no key. */
export async function openStripeApi({ apiKey, api_url }: BillingConnection): Promise<StripeApi | null> {
  if (apiKey === null) return null;
  const { default: StripeClient } = await import("stripe");
  const client = new StripeClient(apiKey, { timeout: TIMEOUT_MS, telemetry: false, ...placeOf(api_url) });
  return {
    client,
    async invoiceOf(paymentIntent) {
      const payment = { type: "payment_intent" as const, payment_intent: paymentIntent };
      const [found] = (await asked(client.invoicePayments.list({ payment, limit: 1 }))).data;
      return found === undefined ? null : idOf(found.invoice);
    },
    async intentsOf(invoice) {
      const { data } = await asked(client.invoicePayments.list({ invoice, limit: 100 }));
      return data.flatMap(({ payment }) => payment.payment_intent ?? []).map(idOf);
    },
    async checkoutOf(origin) {
      const { data } = await asked(client.checkout.sessions.list({ ...origin, limit: 1 }));
      return data[0] ?? null;
    },
    async codesOf(invoice) {
      const expanded = { expand: ["discounts.promotion_code"] };
      const { discounts } = await asked(client.invoices.retrieve(invoice, expanded));
      const codes = discounts.map((each) => (typeof each === "string" ? null : each.promotion_code));
      return codes.flatMap((code) => (code === null || typeof code === "string" ? [] : code.code));
    },
    promoCode: async (id) => (await ifAny(client.promotionCodes.retrieve(id)))?.code ?? null,
    async payer(customerId) {
      const customer = await ifAny(client.customers.retrieve(customerId));
      if (customer === null || customer.deleted) return null;
      return payerOf({ customerId, email: customer.email, metadata: [customer.metadata] });
    },
    paidBy: async (charge) => (await ifAny(client.charges.retrieve(charge)))?.amount_captured ?? null,
  };
}

/**
 * The answer, or null if there is none or the key lacks the right to read it: some accounts use restricted
 * keys.
 */
async function ifAny<T>(answer: Promise<T>): Promise<T | null> {
  const found = answer.catch((error: { statusCode?: number }) => {
    if (error.statusCode === 403 || error.statusCode === 404) return null;
    throw error;
  });
  return asked(found);
}

/** @throws Failure `refused` with Stripe's reason, for its log, after which Stripe sends the event again */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw new Failure("refused", `Stripe's API refused: ${(error as Error).message}`);
  }
}

function idOf(object: string | { id: string }): string {
  return typeof object === "string" ? object : object.id;
}

function placeOf(apiUrl: string | null) {
  if (apiUrl === null) return {};
  const { protocol, hostname, port } = new URL(apiUrl);
  return {
    protocol: protocol === "http:" ? ("http" as const) : ("https" as const),
    host: hostname,
    ...(port !== "" && { port }),
  };
}

/*
 * Stripe sends events in the API version that the endpoint was created with. These schemas read all versions
 * since 2020. They list only the fields that we use.
 */

/** An object's id, given alone or as a whole object. */
export const objectId = z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]);

/** The metadata that the account's own code attached to an object. */
export const metadata = z.record(z.string(), z.string()).nullish();

/** Seconds since 1970. */
export const instant = z.int().transform((seconds) => new Date(seconds * 1_000));

/** An amount in the currency's minor unit. */
export const amount = z.int();

/** The cost of shipping, after discounts. */
export const shippingCost = z.object({ amount_total: amount, amount_tax: amount.nullish() }).nullish();

/** The cost of shipping without its tax. */
export function shippingOf(cost: z.output<typeof shippingCost>): number {
  return cost ? cost.amount_total - (cost.amount_tax ?? 0) : 0;
}

/** An amount of Stripe in the minor unit of ISO 4217. */
export function isoAmount(amount: number, currency: string): number {
  return isoAmountOf("stripe", amount, currency.toUpperCase());
}
