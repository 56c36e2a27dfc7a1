import { z } from "zod";
import { share } from "../../domain/money.ts";
import type { BillingPeriod } from "../../domain/ledger/sale/sale.ts";
import { payerOf, soldQuantity, type Nothing, type PaymentEvent } from "../event.ts";
import {
  asked,
  amount,
  instant,
  isoAmount,
  metadata,
  objectId,
  shippingCost,
  shippingOf,
  type StripeApi,
} from "./api.ts";
import { DAY_MS } from "../../domain/span.ts";

const line = z.object({
  amount,
  quantity: z.int().nullish(),
  metadata,
  period: z.object({ start: instant, end: instant }).nullish(),
  price: z.object({ id: z.string() }).nullish(),
  plan: z.object({ id: z.string() }).nullish(),
  pricing: z.object({ price_details: z.object({ price: objectId.nullish() }).nullish() }).nullish(),
});

const subscriptionDetails = z.object({ subscription: objectId.nullish(), metadata });

/** An invoice, in the form of any version. */
const invoiceShape = z.object({
  id: z.string(),
  customer: objectId.nullish(),
  customer_email: z.string().nullish(),
  currency: z.string(),
  amount_paid: amount,
  total: amount,
  total_excluding_tax: amount.nullish(),
  tax: amount.nullish(),
  created: instant,
  shipping_cost: shippingCost,
  status_transitions: z.object({ paid_at: instant.nullish() }).nullish(),
  metadata,
  subscription: objectId.nullish(),
  subscription_details: subscriptionDetails.nullish(),
  parent: z.object({ subscription_details: subscriptionDetails.nullish() }).nullish(),
  charge: objectId.nullish(),
  payment_intent: objectId.nullish(),
  discounts: z.array(z.unknown()).nullish(),
  lines: z.object({ data: z.array(line) }).nullish(),
});

type Invoice = z.output<typeof invoiceShape>;

/**
 * A paid invoice. Its amount is the money that was really paid, without credit, and without the tax's share
 * of it.
 *
 * @see docs/spec/money.md "Billing providers", 8
 */
export async function invoicePaid(data: unknown, api: StripeApi | null): Promise<PaymentEvent | Nothing> {
  const invoice = invoiceShape.parse(data);
  const { id, currency, amount_paid: paid, total } = invoice;
  const untaxed = invoice.total_excluding_tax ?? total - (invoice.tax ?? 0);
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const subscriptionId = details?.subscription ?? invoice.subscription ?? null;
  const lines = invoice.lines?.data ?? [];
  const [largest] = lines.toSorted((one, other) => other.amount - one.amount);
  const payments = await paymentsOf(invoice, api);
  return {
    kind: "payment",
    objects: [id, ...payments],
    subscription_id: subscriptionId,
    payer: payerOf({
      customerId: invoice.customer ?? null,
      email: invoice.customer_email ?? null,
      metadata: [invoice.metadata, details?.metadata, ...lines.map((each) => each.metadata)],
      promoCodes: await promoCodesOf(invoice, { subscription_id: subscriptionId, payments, api }),
    }),
    parts: {
      source: "invoice",
      gross_amount: isoAmount(paid, currency),
      net_amount: isoAmount(total > 0 ? share(paid, untaxed, total) : paid, currency),
      shipping_amount: isoAmount(
        total > 0 ? share(paid, shippingOf(invoice.shipping_cost), total) : 0,
        currency,
      ),
      quantity: largest === undefined ? 1 : quantityOf(largest, invoice.created),
    },
    currency: currency.toUpperCase(),
    ...soldBy(largest, subscriptionId !== null),
    at: invoice.status_transitions?.paid_at ?? invoice.created,
  };
}

/** The maximum of Stripe's lists. A checkout has fewer items. */
const MOST_ITEMS = 100;

const sessionShape = z.object({
  id: z.string(),
  created: instant,
  customer: objectId.nullish(),
  customer_email: z.string().nullish(),
  customer_details: z.object({ email: z.string().nullish() }).nullish(),
  client_reference_id: z.string().nullish(),
  currency: z.string().nullish(),
  amount_total: amount.nullish(),
  total_details: z.object({ amount_tax: amount.nullish(), amount_shipping: amount.nullish() }).nullish(),
  shipping_cost: shippingCost,
  payment_status: z.string().nullish(),
  invoice: objectId.nullish(),
  payment_intent: objectId.nullish(),
  subscription: objectId.nullish(),
  discounts: z.array(z.object({ promotion_code: objectId.nullish() })).nullish(),
  metadata,
});

type Session = z.output<typeof sessionShape>;

/**
 * A checkout. It carries its visit, which its invoice and charge lack, so whichever comes first records the
 * sale. An unpaid or free one is a sign-up.
 */
export async function sessionCompleted(data: unknown, api: StripeApi | null): Promise<PaymentEvent> {
  const session = sessionShape.parse(data);
  const { id, invoice, payment_intent: intent, currency, subscription } = session;
  const isPaid = session.payment_status === "paid";
  const gross = isPaid ? (session.amount_total ?? 0) : 0;
  const tax = isPaid ? (session.total_details?.amount_tax ?? 0) : 0;
  const { shipping_cost: cost, total_details: details } = session;
  const shipping = cost ? shippingOf(cost) : (details?.amount_shipping ?? 0);
  const code = currency ?? "usd";
  const reported: PaymentEvent = {
    kind: "payment",
    objects: [invoice, intent, id].filter((each) => typeof each === "string"),
    subscription_id: subscription ?? null,
    payer: payerOf({
      customerId: session.customer ?? null,
      email: session.customer_details?.email ?? session.customer_email ?? null,
      metadata: [session.metadata],
      reference: session.client_reference_id ?? null,
      promoCodes: await checkoutCodesOf(session, api),
    }),
    parts: {
      source: "checkout",
      gross_amount: isoAmount(gross, code),
      net_amount: isoAmount(gross - tax, code),
      shipping_amount: isoAmount(isPaid ? shipping : 0, code),
      quantity: 1,
    },
    currency: code.toUpperCase(),
    plan_id: null,
    billing_period: subscription ? null : "one_time",
    at: session.created,
  };
  return isPaid && gross > 0 && api !== null ? withPlan(reported, session, api) : reported;
}

/** The charge and the payment intent: in the invoice up to 2024, in a list of their own since. */
async function paymentsOf({ id, charge, payment_intent: intent }: Invoice, api: StripeApi | null) {
  const named = [charge, intent].filter((each) => typeof each === "string");
  return named.length > 0 || api === null ? named : api.intentsOf(id);
}

/**
 * The promotion codes of an invoice. One from a checkout has none here: the checkout reports its codes
 * itself, and also the visit, which takes precedence. So the order of both events does not matter.
 */
async function promoCodesOf(
  { id, discounts }: Invoice,
  {
    subscription_id,
    payments,
    api,
  }: { subscription_id: string | null; payments: string[]; api: StripeApi | null },
): Promise<string[]> {
  if (api === null || !discounts?.length) return [];
  const intent = payments.find((each) => each.startsWith("pi_"));
  const origin =
    subscription_id === null ? intent && { payment_intent: intent } : { subscription: subscription_id };
  const checkout = origin ? await api.checkoutOf(origin) : null;
  return checkout === null ? api.codesOf(id) : [];
}

/** The price and the period of an invoice's largest line. */
function soldBy(
  largest: z.output<typeof line> | undefined,
  isSubscription: boolean,
): Pick<PaymentEvent, "plan_id" | "billing_period"> {
  const planId = largest?.pricing?.price_details?.price ?? largest?.price?.id ?? largest?.plan?.id ?? null;
  const { period } = largest ?? {};
  if (!isSubscription) return { plan_id: planId, billing_period: "one_time" };
  const days = period ? (period.end.getTime() - period.start.getTime()) / DAY_MS : 0;
  return { plan_id: planId, billing_period: periodOf(days) };
}

/**
 * The number of items that a line sells, for flat rewards. A metered quantity counts as one item. Events
 * since 2025 don't say which prices are metered, but only those are paid for a past period.
 *
 * @see docs/spec/money.md "Billing providers", 8
 */
function quantityOf({ quantity, period }: z.output<typeof line>, created: Date): number {
  const isUsage = period ? period.start < period.end && period.end <= created : false;
  return isUsage || !quantity ? 1 : soldQuantity(quantity);
}

/** Events since 2025 name no interval, so the line's period decides. Null: neither a month nor a year. */
function periodOf(days: number): BillingPeriod | null {
  if (days >= 28 && days <= 31) return "monthly";
  return days >= 365 && days <= 366 ? "yearly" : null;
}

/** The same with the product sold, which the event leaves out. */
async function withPlan(
  reported: PaymentEvent,
  { id, invoice }: Session,
  api: StripeApi,
): Promise<PaymentEvent> {
  if (!invoice) {
    const { data } = await asked(api.client.checkout.sessions.listLineItems(id, { limit: MOST_ITEMS }));
    const [largest] = data.toSorted((one, other) => other.amount_total - one.amount_total);
    const parts = { ...reported.parts, quantity: soldQuantity(largest?.quantity ?? 1) };
    return { ...reported, plan_id: largest?.price?.id ?? null, parts };
  }
  const paid = await invoicePaid(await asked(api.client.invoices.retrieve(invoice)), api);
  if (paid.kind === "nothing") return reported;
  return { ...paid, objects: [...paid.objects, ...reported.objects], payer: reported.payer };
}

async function checkoutCodesOf({ discounts }: Session, api: StripeApi | null): Promise<string[]> {
  if (api === null) return [];
  const codes: string[] = [];
  for (const { promotion_code: id } of discounts ?? []) {
    const code = id ? await api.promoCode(id) : null;
    if (code !== null) codes.push(code);
  }
  return codes;
}
