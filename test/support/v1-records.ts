import { expect } from "vitest";
import { NOW } from "./app.ts";

/** A balance of nothing, as V1 shows it. */
export const V1_ZERO = { cash: 0, credits: 0, points: 0, free_months: 0, discount_mon: 0, discount_per: 0 };

/** A lead of `lead@example.com`, as V1 shows it. */
export const V1_LEAD = {
  id: 1,
  state: "signup",
  email: "lead@example.com",
  uid: null,
  customer_since: null,
  cancelled_at: null,
  plan_name: null,
  suspicion: "no_suspicion",
  username: null,
  website: null,
  created_at: NOW,
  split_promotion_id: null,
  custom_fields: null,
  split_percentage_value: null,
  visitor_sub_id: null,
};

/** The first promoter, made with only `jane@example.com`, as V1 shows them within other records. */
export const V1_PROMOTER = {
  id: 1,
  status: "approved",
  cust_id: null,
  email: "jane@example.com",
  created_at: NOW,
  temp_password: null,
  default_promotion_id: 1,
  pref: null,
  default_ref_id: "jane",
  note: null,
  w8_form_url: null,
  w9_form_url: null,
  parent_promoter_id: null,
  earnings_balance: V1_ZERO,
  current_balance: V1_ZERO,
  paid_balance: V1_ZERO,
  auth_token: expect.stringMatching(/^.{32}$/),
};

/** Their promoter campaign in the default campaign. */
export const V1_PROMOTION = {
  id: 1,
  status: "offer_inactive",
  ref_id: "jane",
  promo_code: null,
  customer_promo_code: null,
  target_reached_at: null,
  promoter_id: 1,
  campaign_id: 1,
  referral_link: "https://www.acme.example/?via=jane",
  current_offer: null,
  current_referral_reward: {
    id: 0,
    amount: 0,
    type: "per_referral",
    unit: "",
    name: "",
    per_of_sale: 0,
    default_promo_code: "",
  },
  current_promotion_reward: null,
  current_target_reward: null,
  campaign_name: "Default campaign",
  hidden: false,
  visitors_count: 0,
  leads_count: 0,
  customers_count: 0,
  refunds_count: 0,
  cancellations_count: 0,
  sales_count: 0,
  sales_total: 0,
  refunds_total: 0,
  active_customers_count: 0,
};
