import type { Fields } from "./entry.ts";

const DAY = "2026-03-01";

/** The fields of a commission that have another meaning elsewhere. */
const OWN: Fields = {
  metadata: ["Further data. Always empty so far.", {}],
  sale_amount: ["What was sold, in cents. 0: no sale earned it.", 10_000],
  original_sale_amount: ["The same in the sale's own currency.", 10_000],
  original_sale_currency: ["The sale's own currency. null: the account's currency.", null],
  event_id: ["Your own id of the sale. null: none.", "order-1001"],
  plan_id: ["The sold price or plan, by your own id. null: none.", "pro-monthly"],
  amount: ["The amount: cents for `cash`, whole units otherwise. Negative: a refund took it back.", 2000],
  fraud_check: "Why the sale is suspected of fraud. null: not judged.",
  promoter_campaign: "The promoter campaign that earned it.",
  referral: "The lead that it was earned by. null: none, or the lead was deleted.",
  reward: "The reward that it was earned by. null: it was imported, or made by hand.",
  split_details: "The promoter's part of a commission that several promoters share. null: it is not shared.",
  created_by_user_email: [
    "E-mail address of the user who gave it in the dashboard. null: nobody did.",
    "manager@acme.example",
  ],
};

/** Fields of commissions. */
export const COMMISSION_FIELDS: Fields = {
  lead_id: ["Id of the lead whose promoter gets it.", 204],
  reward_type: "Unit of the amount.",
  event_date: ["The day that it counts on. Left out: today.", DAY],
  notify_promoter:
    "Whether the promoter gets an e-mail, if the campaign sends `new_commission`. Default: `false`.",
  referral_id: ["Id of the lead who bought something.", 204],
  "CreateCommissionBody.billing_period": ["How often the sold plan is paid.", "monthly"],
  "CreateCommissionBody.sale_amount": ["What was sold, in cents.", 10_000],
  "CreateCommissionBody.plan_id": ["The sold price or plan, by your own id.", "pro-monthly"],
  "CreateCommissionBody.event_id": ["Your own id of the sale. Left out: a new one.", "order-1001"],
  paid: "`yes`: money that was paid. `no`: money that was not.",
  fulfilled: "`yes`: other units that the promoter got. `no`: those that the promoter did not get.",
  first_commission: "Whether it belongs to the first event that earned something for its lead.",
  refunded: "Whether a refund took a part of it back, or made it to take another one back.",
  payout_id: ["Id of the payout.", 88],
  "filters.payout_id": ["Ids of the payouts that they belong to.", [88]],
  "filters.plan_id": ["The sold prices or plans, by your own ids.", ["pro-monthly"]],
  "filters.fraud_check":
    "Any of these suspicions. `no_suspicion`: the sale was judged, and nothing was found.",
  "listCommissions.q": [
    "Text to search for in event ids, and in leads' e-mail addresses and uids.",
    "order-1001",
  ],
  "created_at.from": ["From this day or moment on.", DAY],
  "created_at.to": ["Until this moment, or the end of this day.", DAY],
  "amount.from": ["At least this much.", 1000],
  "amount.to": ["At most this much.", 100_000],
  "sale_amount.from": ["At least this much, in cents.", 1000],
  "sale_amount.to": ["At most this much, in cents.", 100_000],
  "sorting.sale_amount": "By the amount of the sale.",
  "sorting.created_at": "By the moment when they were earned.",
  "sorting.referral": "By lead, in the order in which the leads came. Those without a lead come first.",
  is_self_referral: "Whether promoter and lead are the same person. null: not judged.",
  commission_type: "Whether it is for a sale or for something else.",
  created_by_user_at: "When the user gave it. null: nobody did.",
  tier: ["1: the promoter, 2: their parent, and so on.", 1],
  internal_note: ["A note of yours. Promoters never see it.", "Checked by phone"],
  external_note: ["A note that the promoter sees.", "Thank you for the talk"],
  is_paid: "Whether the promoter was paid.",
  is_split: "Whether several promoters share it.",
  status_updated_at: "When its status was last changed. null: never.",
  percentage: ["The promoter's part, in percent.", 25],
  ...of("Commission"),
  ...of("CommissionEventData"),
};

function of(name: string): Fields {
  return Object.fromEntries(Object.entries(OWN).map(([field, entry]) => [`${name}.${field}`, entry]));
}
