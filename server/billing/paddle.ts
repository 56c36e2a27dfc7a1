import { createHmac } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Environment, EventEntity, Paddle } from "@paddle/paddle-node-sdk";
import { z } from "zod";
import { type BillingConnection } from "../domain/ledger/billing/connection.ts";
import { share } from "../domain/money.ts";
import type { BillingPeriod } from "../domain/ledger/sale/sale.ts";
import { Failure } from "../failure.ts";
import type { Provider, ProviderEvent } from "./provider.ts";
import {
  customerOf,
  payerOf,
  soldQuantity,
  type Nothing,
  type Payer,
  type PaymentEvent,
  type RefundEvent,
  type BillingEvent,
} from "./event.ts";

const PAGE = 200;

type Translation = (data: unknown, at: Date, api: PaddleApi | null) => Promise<BillingEvent | Nothing>;

/** The types of events that count. */
const TRANSLATIONS: Record<string, Translation> = {
  "transaction.completed": (data, _at, api) => transactionCompleted(data, api),
  "adjustment.created": async (data, at) => adjustmentMade(data, at),
  "adjustment.updated": async (data, at) => adjustmentMade(data, at),
  "customer.created": async (data, at) => customerNamed(data, at),
  "customer.updated": async (data, at) => customerNamed(data, at),
  "subscription.canceled": async (data, at) => subscriptionCanceled(data, at),
};

/** The types that a destination at Paddle needs. */
export const EVENT_TYPES = Object.keys(TRANSLATIONS);

/** Makes the adapter of Paddle. */
export function newProvider(connection: BillingConnection): Provider {
  let opened: Promise<PaddleApi | null> | null = null;
  const api = () => (opened ??= openPaddleApi(connection));
  return {
    mode: connection.mode,
    isSigned: (body, headers) => isSigned(body, signatureOf(headers), connection.secret),
    sign: async (body) => sign(body, connection.secret),
    read: (body, headers) => read(body, signatureOf(headers), connection.secret),
    async toOperation({ type, at, data }) {
      // Objects have more properties than their own, such as `constructor`.
      const translate = Object.hasOwn(TRANSLATIONS, type) ? TRANSLATIONS[type] : undefined;
      if (translate === undefined) return { kind: "nothing", reason: `Events of type ${type} do not count` };
      return translate(data, at, await api());
    },
    lookUp: async (customerId) => (await api())?.payer(customerId) ?? null,
    async *list(since) {
      yield* listEvents(await required(api()), since);
    },
    async *history(lead) {
      yield* listHistory(await required(api()), lead);
    },
  };
}

/* Paddle's package names events but checks no values, so these schemas do. */

/** An amount in the currency's minor unit, which Paddle writes as text. */
const amount = z
  .string()
  .regex(/^-?\d{1,15}$/, "must be a whole number in the currency's minor unit")
  .transform(Number);

const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a date")
  .transform((text) => new Date(text));

/** Data that the account's own code attached to an object. */
const customData = z.record(z.string(), z.unknown()).nullish();

function signatureOf(headers: Headers): string {
  return headers.get("paddle-signature") ?? "";
}

async function isSigned(body: string, signature: string, secret: string): Promise<boolean> {
  const { Paddle } = await import("@paddle/paddle-node-sdk");
  // The package needs no API key for it. It uses the system's clock, and refuses signatures older than five
  // seconds.
  return new Paddle("").webhooks.isSignatureValid(body, secret, signature).catch(() => false);
}

/**
 * The package only checks signatures, by the system's clock.
 *
 * @see https://developer.paddle.com/webhooks/signature-verification
 */
function sign(body: string, secret: string): Headers {
  const seconds = Math.floor(Date.now() / 1_000);
  const code = createHmac("sha256", secret).update(`${seconds}:${body}`).digest("hex");
  return new Headers({ "paddle-signature": `ts=${seconds};h1=${code}` });
}

async function read(body: string, signature: string, secret: string): Promise<ProviderEvent> {
  const { Paddle } = await import("@paddle/paddle-node-sdk");
  try {
    const event = await new Paddle("").webhooks.unmarshal(body, secret, signature);
    return { ...eventOf(event), signed_at: signedAt(signature) };
  } catch {
    throw new Failure("malformed", "The event can't be read: a field of its type is missing");
  }
}

/** The package has checked the signature, so its time can be trusted: `ts=1760000000;h1=…`. */
function signedAt(signature: string): Date {
  return new Date(Number(/(?:^|;)ts=(\d+)/.exec(signature)?.[1]) * 1_000);
}

function eventOf({ eventId, eventType, occurredAt, data }: EventEntity): ProviderEvent {
  return {
    id: eventId || null,
    type: eventType,
    at: new Date(occurredAt),
    signed_at: null,
    isLive: null,
    data,
  };
}

async function required(opened: Promise<PaddleApi | null>): Promise<PaddleApi> {
  const api = await opened;
  if (api !== null) return api;
  throw new Failure("refused", "The connection with Paddle has no API key; connect again with one");
}

const subscriptionShape = z.object({
  id: z.string(),
  customerId: z.string().nullish(),
  canceledAt: instant.nullish(),
  customData,
});

function subscriptionCanceled(data: unknown, at: Date): BillingEvent {
  const { id, customerId, canceledAt, customData: metadata } = subscriptionShape.parse(data);
  const payer = payerOf({ customerId: customerId ?? null, email: null, metadata: [metadata] });
  return { kind: "cancellation", subscription_id: id, payer, at: canceledAt ?? at };
}

const customerShape = z.object({ id: z.string(), email: z.string().nullish(), customData });

function customerNamed(data: unknown, at: Date): BillingEvent | Nothing {
  const { id, email, customData: metadata } = customerShape.parse(data);
  return customerOf(payerOf({ customerId: id, email: email ?? null, metadata: [metadata] }), at);
}

async function* listEvents({ client }: PaddleApi, since: Date): AsyncGenerator<ProviderEvent> {
  const events = client.events.list({ orderBy: "id[DESC]", perPage: PAGE });
  while (events.hasMore) {
    for (const each of await asked(events.next())) {
      const event = eventOf(each);
      if (event.at < since) return;
      yield event;
    }
  }
}

async function* listHistory(
  api: PaddleApi,
  { uid, email }: { uid: string | null; email: string | null },
): AsyncGenerator<BillingEvent | Nothing> {
  const { client } = api;
  const customers = await api.customersOf({ uid, email });
  if (customers.length === 0) return;
  const bought = client.transactions.list({ customerId: customers, status: ["completed"], perPage: PAGE });
  while (bought.hasMore) {
    for (const each of await asked(bought.next())) {
      yield transactionCompleted(each, api);
    }
  }
  const adjusted = client.adjustments.list({ customerId: customers });
  while (adjusted.hasMore) {
    for (const each of await asked(adjusted.next())) {
      yield adjustmentMade(each, new Date(each.createdAt));
    }
  }
}

const PERIODS: Record<string, BillingPeriod> = {
  "1 month": "monthly",
  "1 year": "yearly",
  "12 month": "yearly",
};

const item = z.object({
  price: z
    .object({
      id: z.string(),
      unitPrice: z.object({ amount }),
      billingCycle: z.object({ interval: z.string(), frequency: z.number() }).nullish(),
    })
    .nullish(),
  quantity: z.int(),
});

const transactionShape = z.object({
  id: z.string(),
  customerId: z.string().nullish(),
  subscriptionId: z.string().nullish(),
  currencyCode: z.string(),
  discountId: z.string().nullish(),
  customData,
  details: z
    .object({ totals: z.object({ total: amount, tax: amount, grandTotal: amount }).nullish() })
    .nullish(),
  items: z.array(item),
  billedAt: instant.nullish(),
  createdAt: instant,
});

/** A completed transaction. */
async function transactionCompleted(data: unknown, api: PaddleApi | null): Promise<PaymentEvent | Nothing> {
  const transaction = transactionShape.parse(data);
  const { id, currencyCode, details, items } = transaction;
  const totals = details?.totals;
  if (!totals) return { kind: "nothing", reason: "The transaction has no totals" };
  const { total, tax, grandTotal: paid } = totals;
  const { price = null, quantity = 1 } = largestOf(items) ?? {};
  const cycle = price?.billingCycle ?? null;
  const discount = transaction.discountId;
  const code = discount && api ? await api.promoCode(discount) : null;
  return {
    kind: "payment",
    objects: [id],
    subscription_id: transaction.subscriptionId ?? null,
    payer: payerOf({
      customerId: transaction.customerId ?? null,
      email: null,
      metadata: [transaction.customData],
      promoCodes: code === null ? [] : [code],
    }),
    parts: {
      source: "transaction",
      gross_amount: paid,
      // Credit that pays a part of it pays the same part of the tax.
      net_amount: total > 0 ? share(paid, total - tax, total) : paid,
      quantity: soldQuantity(quantity),
    },
    currency: currencyCode,
    plan_id: price?.id ?? null,
    billing_period: cycle === null ? "one_time" : (PERIODS[`${cycle.frequency} ${cycle.interval}`] ?? null),
    at: transaction.billedAt ?? transaction.createdAt,
  };
}

/**
 * The most expensive item decides.
 *
 * @see docs/spec/money.md "Billing providers", 8
 */
function largestOf(items: z.output<typeof item>[]) {
  const cost = ({ price, quantity }: z.output<typeof item>) => (price?.unitPrice.amount ?? 0) * quantity;
  return items.toSorted((one, other) => cost(other) - cost(one))[0];
}

/** The adjustments that count. */
const KINDS: Record<string, RefundEvent["kind"]> = {
  refund: "refund",
  chargeback: "dispute",
  chargeback_reverse: "reversal",
};

const adjustmentShape = z.object({
  id: z.string(),
  action: z.string(),
  status: z.string(),
  type: z.string().nullish(),
  transactionId: z.string(),
  currencyCode: z.string(),
  totals: z.object({ total: amount, tax: amount }),
});

/** An adjustment of a transaction. Refunds wait for Paddle's approval, which is reported by an event. */
function adjustmentMade(data: unknown, at: Date): RefundEvent | Nothing {
  const { id, action, status, type, transactionId, currencyCode, totals } = adjustmentShape.parse(data);
  const kind = KINDS[action];
  if (kind === undefined) {
    return { kind: "nothing", reason: `An adjustment of the kind ${action} does not count` };
  }
  // A reversed chargeback still counts. A separate adjustment, the reversal, returns its money.
  if (status !== "approved" && !(kind === "dispute" && status === "reversed"))
    return { kind: "nothing", reason: `The ${action} is not approved: ${status}` };
  return {
    kind,
    id,
    objects: [transactionId],
    gross_from: 0,
    gross_to: totals.total,
    // The subtotal may exclude a discount, so it is not used.
    net_amount: totals.total - totals.tax,
    paid_amount: type === "full" ? totals.total : null,
    currency: currencyCode,
    at,
  };
}

/** The part of Paddle's API that we read. */
interface PaddleApi {
  client: Paddle;
  /** The code of a discount, or null if it has none. */
  promoCode(id: string): Promise<string | null>;
  payer(customerId: string): Promise<Payer>;
  /** The customer whose id is the uid, otherwise those with this e-mail address. */
  customersOf(names: { uid: string | null; email: string | null }): Promise<string[]>;
}

/** Paddle's API for a connection, or the sandbox's for the test mode. Null if the connection has no key. */
async function openPaddleApi(connection: BillingConnection): Promise<PaddleApi | null> {
  const { apiKey, api_url } = connection;
  if (apiKey === null) return null;
  const {
    Environment: environments,
    LogLevel,
    Paddle: PaddleClient,
  } = await import("@paddle/paddle-node-sdk");
  const usual = connection.mode === "test" ? environments.sandbox : environments.production;
  // The package accepts any address instead of an environment's name.
  const environment = (api_url?.replace(/\/+$/, "") ?? usual) as Environment;
  const client = new PaddleClient(apiKey, { environment, logLevel: LogLevel.none });
  return {
    client,
    promoCode: async (id) => (await asked(client.discounts.get(id))).code,
    async payer(customerId) {
      const { email, customData } = await asked(client.customers.get(customerId));
      return payerOf({ customerId, email, metadata: [customData as Record<string, unknown> | null] });
    },
    async customersOf({ uid, email }) {
      if (uid?.startsWith("ctm_")) return [uid];
      if (email === null) return [];
      return (await asked(client.customers.list({ email: [email] }).next())).map(({ id }) => id);
    },
  };
}

/** Paddle waits five seconds for our answer. Its package would wait for five minutes. */
const TIMEOUT_MS = 5_000;

/** @throws Failure `refused` with Paddle's reason, for its log, after which Paddle sends the event again */
async function asked<T>(answer: Promise<T>): Promise<T> {
  const patience = setTimeout(TIMEOUT_MS, null, { ref: false }).then(() => {
    throw new Error("it did not answer in time");
  });
  try {
    return await Promise.race([answer, patience]);
  } catch (error) {
    throw new Failure("refused", `Paddle's API refused: ${(error as Error).message}`);
  }
}
