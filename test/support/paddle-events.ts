import { NOW } from "./app.ts";

/** The forms of Paddle's documentation. */

type Over = Record<string, unknown>;

/** A notification around an object. */
export function paddleEvent(type: string, data: Over) {
  return {
    event_id: `evt_${type}_${String(data["id"])}`,
    event_type: type,
    occurred_at: NOW,
    notification_id: "ntf_1",
    data,
  };
}

const totals = (over: Over = {}) => ({
  subtotal: "10000",
  discount: "0",
  tax: "1900",
  total: "11900",
  credit: "0",
  credit_to_balance: "0",
  balance: "0",
  grand_total: "11900",
  grand_total_tax: "1900",
  fee: "645",
  earnings: "9355",
  currency_code: "USD",
  ...over,
});

/** A completed transaction. */
export function transaction(over: Over = {}, sums: Over = {}) {
  return {
    id: "txn_1",
    status: "completed",
    customer_id: "ctm_1",
    address_id: "add_1",
    business_id: null,
    custom_data: null,
    currency_code: "USD",
    origin: "web",
    subscription_id: "sub_1",
    invoice_id: "inv_1",
    invoice_number: "123-1",
    collection_mode: "automatic",
    discount_id: null,
    billing_details: null,
    billing_period: { starts_at: NOW, ends_at: "2026-04-04T05:06:07Z" },
    items: [
      {
        price: {
          id: "pri_1",
          product_id: "pro_1",
          description: "Pro",
          type: "standard",
          name: "Monthly",
          billing_cycle: { interval: "month", frequency: 1 },
          trial_period: null,
          tax_mode: "account_setting",
          unit_price: { amount: "10000", currency_code: "USD" },
          unit_price_overrides: [],
          quantity: { minimum: 1, maximum: 1 },
          status: "active",
          custom_data: null,
          import_meta: null,
          created_at: NOW,
          updated_at: NOW,
        },
        quantity: 1,
        proration: null,
      },
    ],
    details: {
      tax_rates_used: [],
      totals: totals(sums),
      adjusted_totals: null,
      payout_totals: null,
      line_items: [],
    },
    payments: [],
    checkout: { url: null },
    created_at: NOW,
    updated_at: NOW,
    billed_at: NOW,
    revised_at: null,
    ...over,
  };
}

/** An approved refund of a part of the transaction. */
export function adjustment(over: Over = {}, sums: Over = {}) {
  return {
    id: "adj_1",
    action: "refund",
    type: "partial",
    transaction_id: "txn_1",
    subscription_id: "sub_1",
    customer_id: "ctm_1",
    reason: "error",
    credit_applied_to_balance: false,
    currency_code: "USD",
    status: "approved",
    items: [],
    totals: {
      subtotal: "4000",
      tax: "760",
      total: "4760",
      fee: "0",
      earnings: "4760",
      currency_code: "USD",
      ...sums,
    },
    payout_totals: null,
    tax_rates_used: [],
    created_at: NOW,
    updated_at: NOW,
    ...over,
  };
}

/** A subscription that was cancelled. */
export function canceledSubscription(over: Over = {}) {
  return {
    id: "sub_1",
    status: "canceled",
    customer_id: "ctm_1",
    address_id: "add_1",
    business_id: null,
    currency_code: "USD",
    created_at: NOW,
    updated_at: NOW,
    started_at: NOW,
    first_billed_at: NOW,
    next_billed_at: null,
    paused_at: null,
    canceled_at: NOW,
    discount: null,
    collection_mode: "automatic",
    billing_details: null,
    current_billing_period: null,
    billing_cycle: { interval: "month", frequency: 1 },
    scheduled_change: null,
    items: [],
    custom_data: null,
    import_meta: null,
    ...over,
  };
}
