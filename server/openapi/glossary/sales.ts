import type { Operations } from "./entry.ts";

const SOLD = { event_id: "order-1001", amount: 10_000 };

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
