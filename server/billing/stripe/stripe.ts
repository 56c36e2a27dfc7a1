import type Stripe from "stripe";
import { z } from "zod";
import { type BillingConnection } from "../../domain/ledger/billing/connection.ts";
import type { Lead } from "../../domain/people/lead/lead.ts";
import { Failure } from "../../failure.ts";
import type { Provider, ProviderEvent } from "../provider.ts";
import { customerOf, payerOf, type Nothing, type BillingEvent } from "../event.ts";
import { asked, openStripeApi, amount, instant, metadata, objectId, type StripeApi } from "./api.ts";
import {
  chargeRefunded,
  chargeSucceeded,
  disputeCreated,
  fundsReinstated,
  fundsWithdrawn,
} from "./charge.ts";
import { invoicePaid, sessionCompleted } from "./invoice.ts";

/** Stripe's own recommendation. */
const TOLERANCE_SECONDS = 300;
/** Stripe's own limit of its ids. */
const MOST_ID_LENGTH = 255;

/** The input of a translation. `before` is the object's former state, if the event has it. */
interface Given {
  data: unknown;
  before: { amount_refunded?: number | undefined };
  at: Date;
}

type Translation = (given: Given, api: StripeApi | null) => Promise<BillingEvent | Nothing>;

const paid: Translation = ({ data }, api) => invoicePaid(data, api);
const session: Translation = ({ data }, api) => sessionCompleted(data, api);
const charged: Translation = ({ data }, api) => chargeSucceeded(data, api);

/** The types of events that count. */
const TRANSLATIONS: Record<string, Translation> = {
  "invoice.paid": paid,
  "invoice.payment_succeeded": paid,
  "charge.succeeded": charged,
  "charge.captured": charged,
  "checkout.session.completed": session,
  "checkout.session.async_payment_succeeded": session,
  "charge.refunded": ({ data, before, at }, api) =>
    chargeRefunded({ data, before: before.amount_refunded ?? 0, at }, api),
  "charge.dispute.created": disputeCreated,
  "charge.dispute.funds_withdrawn": fundsWithdrawn,
  "charge.dispute.funds_reinstated": fundsReinstated,
  "customer.created": async ({ data, at }) => customerNamed(data, at),
  "customer.updated": async ({ data, at }) => customerNamed(data, at),
  "customer.subscription.deleted": async ({ data, at }) => subscriptionDeleted(data, at),
};

/** The types that an endpoint at Stripe needs. */
export const EVENT_TYPES = Object.keys(TRANSLATIONS);

const eventData = z.object({
  object: z.unknown(),
  previous_attributes: z.object({ amount_refunded: amount.optional() }).nullish(),
});

/** Makes the adapter of Stripe. */
export function newProvider(connection: BillingConnection): Provider {
  let opened: Promise<StripeApi | null> | null = null;
  const api = () => (opened ??= openStripeApi(connection));
  return {
    mode: connection.mode,
    isSigned: (body, headers, now) => isSigned(body, headers, { secret: connection.secret, now }),
    sign: (body, now) => sign(body, { secret: connection.secret, now }),
    read,
    async toOperation({ type, at, data }) {
      // Objects have more properties than their own, such as `constructor`.
      const translate = Object.hasOwn(TRANSLATIONS, type) ? TRANSLATIONS[type] : undefined;
      if (translate === undefined) return { kind: "nothing", reason: `Events of type ${type} do not count` };
      const { object, previous_attributes: before } = eventData.parse(data);
      return translate({ data: object, before: before ?? {}, at }, await api());
    },
    lookUp: async (customerId) => (await api())?.payer(customerId) ?? null,
    async *list(since) {
      yield* listEvents(await required(api()), { since, types: EVENT_TYPES });
    },
    async *history(lead) {
      yield* listHistory(await required(api()), lead);
    },
  };
}

async function required(opened: Promise<StripeApi | null>): Promise<StripeApi> {
  const api = await opened;
  if (api !== null) return api;
  throw new Failure("refused", "The connection with Stripe has no API key; connect again with one");
}

async function isSigned(
  body: string,
  headers: Headers,
  { secret, now }: { secret: string; now: Date },
): Promise<boolean> {
  const { default: Stripe } = await import("stripe");
  const signature = headers.get("stripe-signature") ?? "";
  try {
    Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, now.getTime());
    return true;
  } catch {
    return false; // the package's reasons say no more than this
  }
}

async function sign(payload: string, { secret, now }: { secret: string; now: Date }): Promise<Headers> {
  const { default: Stripe } = await import("stripe");
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return new Headers({ "stripe-signature": signature });
}

async function read(body: string, headers: Headers): Promise<ProviderEvent> {
  const event = eventShape.safeParse(JSON.parse(body));
  if (!event.success) throw new Failure("malformed", "The event has no type, or no date in whole seconds");
  const { id, type, created, livemode, data } = event.data;
  const signature = headers.get("stripe-signature") ?? "";
  return { id, type, at: created, signed_at: signedAt(signature), isLive: livemode ?? null, data };
}

const eventShape = z.object({
  id: z.string().max(MOST_ID_LENGTH).nullable().catch(null),
  type: z.string(),
  created: instant,
  livemode: z.boolean().nullish(),
  data: z.unknown(),
});

/** The package has checked the signature, so its time can be trusted: `t=1760000000,v1=…`. */
function signedAt(signature: string): Date {
  return new Date(Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]) * 1_000);
}

const subscriptionShape = z.object({
  id: z.string(),
  customer: objectId,
  ended_at: instant.nullish(),
  metadata,
});

function subscriptionDeleted(data: unknown, at: Date): BillingEvent {
  const { id, customer, ended_at, metadata: given } = subscriptionShape.parse(data);
  const payer = payerOf({ customerId: customer, email: null, metadata: [given] });
  return { kind: "cancellation", subscription_id: id, payer, at: ended_at ?? at };
}

const customerShape = z.object({ id: z.string(), email: z.string().nullish(), metadata });

function customerNamed(data: unknown, at: Date): BillingEvent | Nothing {
  const { id, email, metadata: given } = customerShape.parse(data);
  return customerOf(payerOf({ customerId: id, email: email ?? null, metadata: [given] }), at);
}

const PAGE = 100;

/** The events of these types since an instant, newest first. Stripe keeps events for thirty days. */
async function* listEvents(
  { client }: StripeApi,
  { since, types }: { since: Date; types: string[] },
): AsyncGenerator<ProviderEvent> {
  const created = { gte: Math.floor(since.getTime() / 1_000) };
  for await (const event of all((after) => client.events.list({ created, types, limit: PAGE, ...after }))) {
    yield {
      id: event.id,
      type: event.type,
      at: new Date(event.created * 1_000),
      signed_at: null,
      isLive: event.livemode ?? null,
      data: event.data,
    };
  }
}

/**
 * All payments and refunds of a lead. Its uid is the customer's id, or its e-mail address finds the
 * customers.
 */
async function* listHistory(api: StripeApi, { uid, email }: Lead): AsyncGenerator<BillingEvent | Nothing> {
  const { client } = api;
  for (const customer of await customersOf(client, { uid, email })) {
    const invoices = all((after) =>
      client.invoices.list({ customer, status: "paid", limit: PAGE, ...after }),
    );
    for await (const invoice of invoices) yield invoicePaid(invoice, api);
    for await (const charge of all((after) => client.charges.list({ customer, limit: PAGE, ...after }))) {
      yield chargeSucceeded(charge, api);
      if (charge.amount_refunded > 0) yield* refundsOf(api, charge);
    }
  }
}

async function customersOf(client: Stripe, { uid, email }: Pick<Lead, "uid" | "email">): Promise<string[]> {
  if (uid?.startsWith("cus_")) return [uid];
  if (email === null) return [];
  const { data } = await asked(client.customers.list({ email, limit: PAGE }));
  return data.map(({ id }) => id);
}

/** The refunds of a charge. Each has the same sums before and after it as its event. */
async function* refundsOf(api: StripeApi, charge: Stripe.Charge): AsyncGenerator<BillingEvent | Nothing> {
  const { data } = await asked(api.client.refunds.list({ charge: charge.id, limit: PAGE }));
  const given = data.filter(({ status }) => status !== "failed" && status !== "canceled").toReversed();
  // What was released instead of captured is in the sum, and is no refund of its own.
  let before = charge.amount_refunded - given.reduce((sum, { amount: each }) => sum + each, 0);
  for (const { amount, created } of given) {
    const refunded = { ...charge, amount_refunded: before + amount };
    yield chargeRefunded({ data: refunded, before, at: new Date(created * 1_000) }, api);
    before += amount;
  }
}

/** All items of a paged list. */
async function* all<T extends { id: string }>(
  page: (after: { starting_after?: string }) => Promise<{ data: T[]; has_more: boolean }>,
): AsyncGenerator<T> {
  let after: { starting_after?: string } = {};
  for (;;) {
    const { data, has_more } = await asked(page(after));
    yield* data;
    const last = data.at(-1);
    if (!has_more || last === undefined) return;
    after = { starting_after: last.id };
  }
}
