import type { Fields, Operations } from "./entry.ts";

const SOLD = { event_id: "order-1001", amount: 10_000 };

/** The input of sales, refunds and cancellations. */
const INPUT: Fields = {
  event_id: [
    "Your own id of the event, such as the number of the invoice. It is recorded once.",
    "order-1001",
  ],
  sale_event_id: [
    "Your own id of the sale that is refunded. Default: the lead's latest sale that has something left.",
    "order-1001",
  ],
  amount: ["The amount in the minor unit of its currency, such as cents. Greater than 0.", 10_000],
  quantity: ["How many pieces were sold. It multiplies fixed rewards. Default: 1.", 1],
  plan: ["Your own id of the price or plan that was sold. It finds the product.", "price_pro_monthly"],
  billing_period: ["How often the plan is paid.", "monthly"],
  currency: [
    "The currency of the amount (ISO 4217). It is converted by the rate of its day. Default: your account's.",
    "USD",
  ],
  mrr: ["The monthly recurring revenue, in the currency of the amount. For statistics only.", 2900],
  promo_code: ["The promo code that the person used. It names the promoter if nothing else does.", "JANE10"],
  subscription_id: ["Your billing provider's id of the subscription.", "sub_42"],
  start_recurring_reward_in: ["Days from the sale to the first commission. Default: it comes at once.", 30],
  recurring_reward_frequency: [
    "Days from one commission to the next, without further sales. Default: none follows.",
    30,
  ],
  max_recurring: ["How many commissions follow the first. Default: until the lead leaves.", 11],
  ecom_sale: "Whether it is a single purchase in a shop. Accepted and not used.",
  ecom_refund: "Whether it refunds a single purchase in a shop. Accepted and not used.",
  created_at: ["When it happened. Default: now.", "2026-03-01T09:30:00.000Z"],
};

const RECORDED: Fields = {
  amount_cents: [
    "What was sold, in cents of your account's currency. Negative: a refund. null: nothing.",
    10_000,
  ],
  reward: "What the promoter earned. Negative: it was taken back. null: nothing.",
};

/** Fields of sales, refunds and cancellations, under the schemas that they belong to. */
export const SALE_FIELDS: Fields = {
  ...below(["SaleInput", "RefundInput", "CancellationInput"], INPUT),
  ...below(["RefundInput"], {
    currency: [
      "The currency of the amount (ISO 4217). Default: that of the sale which `sale_event_id` names, otherwise your account's.",
      "USD",
    ],
  }),
  ...below(["V1Sale", "V1Refund", "V1Cancellation"], RECORDED),
  ...below(["V1Cancellation"], { amount_cents: ["Always null.", null], reward: ["Always null.", null] }),
  ...below(["V1WaitingSale", "V1WaitingRefund"], {
    amount_cents: ["Always null: it is not converted yet.", null],
    reward: ["Always null: nothing is earned yet.", null],
  }),
  ...below(["V1WaitingSale", "V1WaitingRefund", "WaitingSale"], {
    waiting_for: "The exchange rate that is missing.",
  }),
  ...below(["WaitingFor"], {
    currency: ["The currency without a rate (ISO 4217).", "EUR"],
    date: ["Day of the rate, in UTC.", "2026-03-04"],
    message: [
      "The same for people.",
      "There is no exchange rate from EUR to USD for 2026-03-04. The event is kept, and recorded when there is one.",
    ],
  }),
  ...below(["WaitingSale"], {
    event_id: ["Your own id of the sale.", "order-1001"],
    sale_amount: ["Always null: it is not converted yet.", null],
    original_sale_amount: ["What was sold, in the sale's own currency.", 10_000],
    original_sale_currency: ["The sale's own currency.", "EUR"],
    plan_id: ["Your own id of the price or plan.", "price_pro_monthly"],
    billing_period: ["How often the plan is paid. null: unknown.", "monthly"],
    quantity: ["How many pieces were sold.", 1],
    mrr: ["Always null: it is not converted yet.", null],
    referral_reward: ["Always null.", null],
    commissions: "Always empty: nothing is earned yet.",
  }),
  ...below(["Sale"], {
    event_id: ["Your own id of the sale.", "order-1001"],
    sale_amount: ["What was sold, in cents of your account's currency.", 10_000],
    original_sale_amount: ["The same in the sale's own currency.", 10_000],
    original_sale_currency: ["The sale's own currency. null: your account's.", null],
    plan_id: ["Your own id of the price or plan.", "price_pro_monthly"],
    billing_period: ["How often the plan is paid. null: unknown.", "monthly"],
    quantity: ["How many pieces were sold.", 1],
    mrr: ["The monthly recurring revenue, in cents of your account's currency. null: not given.", 2900],
    referral_reward: "The reward that the lead gets with the sale. null: none.",
    commissions: "What the promoters earned, one entry for each tier and each part of a split.",
  }),
};

/** Operations that track sales, refunds and cancellations. */
export const SALE_OPERATIONS: Operations = {
  "POST /api/v1/track/sale": [
    "v1TrackSale",
    "Records a payment of a lead and what the promoters earn from it. Give `email` or `uid`, and an `event_id` of your own, by which it is recorded once. If the person has not signed up, `tid`, `ref_id` or `promo_code` names the promoter.",
    { email: "sam@example.net", ...SOLD },
  ],
  "POST /api/v1/track/refund": [
    "v1TrackRefund",
    "Records that a sale, or a part of it, was paid back, and takes the same part of its commissions back.",
    { email: "sam@example.net", event_id: "refund-7", amount: 10_000, sale_event_id: "order-1001" },
  ],
  "POST /api/v1/track/cancellation": [
    "v1TrackCancellation",
    "Records that a customer has left. Repeating it changes nothing.",
    { email: "sam@example.net" },
  ],
  "POST /api/v2/track/sale": [
    "trackSale",
    "Records a payment of a lead and what the promoters earn from it. Give `email` or `uid`, and an `event_id` of your own, by which it is recorded once. If the person has not signed up, `tid`, `ref_id` or `promo_code` names the promoter.",
    { email: "sam@example.net", ...SOLD },
  ],
  "POST /api/v2/track/refund": [
    "trackRefund",
    "Records that a sale, or a part of it, was paid back, and takes the same part of its commissions back. The answer has the form of V1.",
    { email: "sam@example.net", event_id: "refund-7", amount: 10_000, sale_event_id: "order-1001" },
  ],
  "POST /api/v2/track/cancellation": [
    "trackCancellation",
    "Records that a customer has left. Repeating it changes nothing. The answer has the form of V1.",
    { email: "sam@example.net" },
  ],
};

function below(owners: string[], fields: Fields): Fields {
  return Object.fromEntries(
    owners.flatMap((owner) => Object.entries(fields).map(([name, entry]) => [`${owner}.${name}`, entry])),
  );
}
