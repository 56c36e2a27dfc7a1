import { NOW } from "./app.ts";

/** The forms of Stripe's documentation, with the fields that surround those we read. */

type Over = Record<string, unknown>;

export const SECONDS = Math.floor(Date.parse(NOW) / 1_000);
const MONTH = { start: SECONDS, end: SECONDS + 31 * 86_400 };

/** An event around an object. */
export function stripeEvent(type: string, object: Over, over: Over = {}, before?: Over) {
  return {
    id: `evt_${type}_${String(object["id"])}`,
    object: "event",
    api_version: "2026-10-28.endive",
    created: SECONDS,
    data: { object, ...(before && { previous_attributes: before }) },
    livemode: true,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
    ...over,
  };
}

/** A line of an invoice: a month of a plan that is paid in advance. */
export function invoiceLine(over: Over = {}) {
  return {
    id: "il_1",
    object: "line_item",
    amount: 10_000,
    currency: "usd",
    metadata: {},
    parent: { type: "subscription_item_details" },
    period: MONTH,
    pricing: {
      price_details: { price: "price_pro", product: "prod_1" },
      type: "price_details",
      unit_amount_decimal: "10000",
    },
    quantity: 1,
    ...over,
  };
}

/** A paid invoice of a subscription, in the form since 2025. */
export function invoice(over: Over = {}) {
  return {
    id: "in_1",
    object: "invoice",
    account_country: "US",
    amount_due: 12_000,
    amount_paid: 12_000,
    amount_remaining: 0,
    billing_reason: "subscription_create",
    created: SECONDS,
    currency: "usd",
    customer: "cus_1",
    customer_email: "Sam@example.net",
    discounts: [],
    lines: {
      object: "list",
      data: [invoiceLine()],
      has_more: false,
      total_count: 1,
      url: "/v1/invoices/in_1/lines",
    },
    metadata: {},
    parent: {
      quote_details: null,
      subscription_details: { metadata: {}, subscription: "sub_1" },
      type: "subscription_details",
    },
    status: "paid",
    status_transitions: {
      finalized_at: SECONDS,
      marked_uncollectible_at: null,
      paid_at: SECONDS,
      voided_at: null,
    },
    subtotal: 10_000,
    subtotal_excluding_tax: 10_000,
    total: 12_000,
    total_excluding_tax: 10_000,
    total_taxes: [{ amount: 2_000, tax_behavior: "exclusive" }],
    ...over,
  };
}

/** The same, in the form up to 2024. */
export function formerInvoice(over: Over = {}) {
  const { parent: _, total_taxes: __, ...rest } = invoice();
  const [line] = rest.lines.data;
  const { pricing: ___, ...former } = line!;
  return {
    ...rest,
    charge: "ch_1",
    payment_intent: "pi_1",
    subscription: "sub_1",
    subscription_details: { metadata: {} },
    tax: 2_000,
    lines: { ...rest.lines, data: [{ ...former, price: { id: "price_pro", object: "price" } }] },
    ...over,
  };
}

/** A charge, in the form since 2025. With `invoice` it is the former one. */
export function charge(over: Over = {}) {
  return {
    id: "ch_1",
    object: "charge",
    amount: 12_000,
    amount_captured: 12_000,
    amount_refunded: 0,
    billing_details: { address: {}, email: "sam@example.net", name: "Sam", phone: null },
    captured: true,
    created: SECONDS,
    currency: "usd",
    customer: "cus_1",
    disputed: false,
    metadata: {},
    paid: true,
    payment_intent: "pi_1",
    receipt_email: null,
    refunded: false,
    status: "succeeded",
    ...over,
  };
}

/** A refund of a charge: from one sum of refunds to another. */
export function refundedFrom(before: number, after: number, over: Over = {}) {
  const refunded = charge({ amount_refunded: after, refunded: after === 12_000, ...over });
  return stripeEvent(
    "charge.refunded",
    refunded,
    { id: `evt_refunded_${after}` },
    { amount_refunded: before },
  );
}

/** A completed checkout of a subscription. */
export function session(over: Over = {}) {
  return {
    id: "cs_1",
    object: "checkout.session",
    amount_subtotal: 10_000,
    amount_total: 12_000,
    client_reference_id: null,
    created: SECONDS,
    currency: "usd",
    customer: "cus_1",
    customer_details: { address: null, email: "sam@example.net", name: "Sam", phone: null },
    customer_email: null,
    discounts: [],
    invoice: "in_1",
    metadata: {},
    mode: "subscription",
    payment_intent: null,
    payment_status: "paid",
    status: "complete",
    subscription: "sub_1",
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 2_000 },
    ...over,
  };
}

/** A subscription that has ended. */
export function subscription(over: Over = {}) {
  return {
    id: "sub_1",
    object: "subscription",
    canceled_at: SECONDS,
    customer: "cus_1",
    ended_at: SECONDS,
    metadata: {},
    status: "canceled",
    ...over,
  };
}

/** A dispute of a charge. */
export function dispute(over: Over = {}) {
  return {
    id: "du_1",
    object: "dispute",
    amount: 12_000,
    charge: "ch_1",
    created: SECONDS,
    currency: "usd",
    payment_intent: "pi_1",
    reason: "fraudulent",
    status: "needs_response",
    ...over,
  };
}

/** A customer. */
export function customer(over: Over = {}) {
  return {
    id: "cus_1",
    object: "customer",
    created: SECONDS,
    email: "sam@example.net",
    livemode: true,
    metadata: {},
    name: "Sam",
    ...over,
  };
}
