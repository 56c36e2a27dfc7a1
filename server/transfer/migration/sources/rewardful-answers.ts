import { z } from "zod";
import type { SourceApi, SourceQuery } from "../model.ts";
import { readNumberedPages } from "../paging.ts";
import {
  amount,
  amountOrNull,
  count,
  countOrNull,
  currency,
  flag,
  id,
  instant,
  readAnswer,
  reference,
  someInstant,
  text,
} from "../shapes.ts";

const MOST_ROWS = 100;

/** Fetches everything that Rewardful offers. @see https://developers.rewardful.com/rest-api/ */
export async function askRewardful(api: SourceApi): Promise<void> {
  await readList(api, "campaigns", {});
  await readList(api, "affiliates", { "expand[]": ["campaign", "links", "commission_stats"] });
  await readList(api, "affiliate_coupons", {});
  // Visitors are only counted, and the links have their number.
  await readList(api, "referrals", {
    "expand[]": ["affiliate"],
    "conversion_state[]": ["lead", "conversion"],
  });
  await readList(api, "commissions", { "expand[]": ["sale", "campaign"] });
  await readList(api, "payouts", { "expand[]": ["affiliate", "commissions"] });
}

const page = z.looseObject({
  data: z.array(z.unknown()),
  pagination: z.looseObject({ next_page: z.number().nullish() }),
});

function readList(api: SourceApi, list: string, query: SourceQuery): Promise<void> {
  return readNumberedPages(api, list, {
    most: MOST_ROWS,
    async ask(number, size) {
      const answer = await api.get(`/${list}`, { ...query, page: number, limit: size });
      const { data, pagination } = readAnswer(page, answer, `/${list}`);
      return { rows: data, isLast: (pagination.next_page ?? null) === null };
    },
  });
}

export const campaignShape = z.object({
  id,
  name: text,
  url: text,
  private: flag,
  default: flag,
  reward_type: text,
  commission_percent: z.unknown().optional(),
  commission_amount_cents: amountOrNull,
  commission_amount_currency: currency,
  minimum_payout_cents: amountOrNull,
  minimum_payout_currency: currency,
  max_commissions: amountOrNull,
  max_commission_period_months: amountOrNull,
  days_before_referrals_expire: amountOrNull,
  days_until_commissions_are_due: amountOrNull,
  stripe_coupon_id: text,
});
export type Campaign = z.output<typeof campaignShape>;

export const affiliateShape = z.object({
  id,
  first_name: text,
  last_name: text,
  email: z.string(),
  state: z.enum(["active", "disabled", "suspicious"]),
  paypal_email: text,
  wise_email: text,
  visitors: countOrNull,
  conversions: countOrNull,
  campaign: reference,
  links: z.array(z.object({ id, url: text, token: z.string(), visitors: count })).nullish(),
  created_at: someInstant,
});
export type Affiliate = z.output<typeof affiliateShape>;

export const couponShape = z.object({
  id,
  external_id: text,
  token: z.string().min(1),
  archived: flag,
  archived_at: instant,
  affiliate_id: id,
});

export const referralShape = z.object({
  id,
  link: reference,
  coupon: reference,
  customer: z.object({ name: text, email: text }).nullish().catch(null),
  affiliate: reference,
  affiliate_id: text,
  conversion_state: z.enum(["visitor", "lead", "conversion"]),
  became_lead_at: instant,
  became_conversion_at: instant,
  deactivated_at: instant,
  stripe_customer_id: text,
  created_at: someInstant,
});
export type Referral = z.output<typeof referralShape>;

export const saleShape = z.object({
  id,
  currency,
  charged_at: instant,
  invoiced_at: instant,
  charge_amount_cents: amountOrNull,
  sale_amount_cents: amount,
  refund_amount_cents: count,
  stripe_charge_id: text,
  referral: z.unknown().optional(),
  affiliate: reference,
});
export type Sale = z.output<typeof saleShape>;

export const commissionShape = z.object({
  id,
  amount,
  currency,
  state: z.enum(["pending", "due", "paid", "voided"]),
  paid_at: instant,
  campaign: reference,
  affiliate: reference,
  sale: saleShape.nullish(),
  created_at: someInstant,
});
export type Commission = z.output<typeof commissionShape>;

export const payoutShape = z.object({
  id,
  amount,
  currency,
  state: z.enum(["pending", "due", "processing", "paid"]),
  paid_at: instant,
  created_at: instant,
  affiliate: reference,
  commissions: z.array(z.unknown()).nullish(),
});
export type Payout = z.output<typeof payoutShape>;
