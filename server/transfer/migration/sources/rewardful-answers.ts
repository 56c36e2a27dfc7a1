import { z } from "zod";
import type { SourceApi, SourceQuery, ArchivedRows, SourceRecord } from "../model.ts";
import { readNeeded, readNumberedPages } from "../paging.ts";
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
  readRows,
  type Remarks,
} from "../shapes.ts";
import { share } from "../../../domain/money.ts";

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
  const ask = async (number: number, size: number) => {
    const answer = await api.get(`/${list}`, { ...query, page: number, limit: size });
    const { data, pagination } = readAnswer(page, answer, `/${list}`);
    return { rows: data, isLast: (pagination.next_page ?? null) === null };
  };
  return readNeeded(api, list, () => readNumberedPages(api, list, { most: MOST_ROWS, ask }));
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
type Sale = z.output<typeof saleShape>;

const commissionShape = z.object({
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
type Commission = z.output<typeof commissionShape>;

const payoutShape = z.object({
  id,
  amount,
  currency,
  state: z.enum(["pending", "due", "processing", "paid"]),
  paid_at: instant,
  created_at: instant,
  affiliate: reference,
  commissions: z.array(z.unknown()).nullish(),
});
type Payout = z.output<typeof payoutShape>;

/** What is read from one list and needed for others. */
export interface Reading {
  archive: ArchivedRows;
  remarks: Remarks;
  /** The affiliates by their ids. */
  affiliates: Map<string, { campaign: string | null; created_at: string }>;
  /** The referrals that are records. */
  customers: Set<string>;
  sales: Set<string>;
  /** The payout of each commission. */
  payouts: Map<string, string>;
  /** When the latest commission of each payout was made. */
  latest: Map<string, string>;
}

export function commissionRows(reading: Reading): AsyncGenerator<Commission> {
  return readRows(reading, { list: "commissions", shape: commissionShape, noun: "Commission" });
}

export function ownerOf({ sale, affiliate }: Commission): string | null {
  return affiliate ?? sale?.affiliate ?? null;
}

/** A sale is embedded in each of its commissions. */
export async function* sales(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of commissionRows(reading)) {
    const { sale } = row;
    const promoterId = ownerOf(row);
    if (!sale || promoterId === null || reading.sales.has(sale.id)) continue;
    const customerId = reference.parse(sale.referral);
    if (customerId === null || !reading.customers.has(customerId)) {
      reading.remarks.add(
        `sale:${sale.id}`,
        `Sale ${sale.id} has no customer: only its commission is imported.`,
      );
      continue;
    }
    reading.sales.add(sale.id);
    yield {
      kind: "sale",
      id: sale.id,
      event_id: sale.stripe_charge_id,
      customerId,
      promoter_id: sale.affiliate ?? promoterId,
      campaign_id: row.campaign,
      amount: sale.sale_amount_cents,
      currency: sale.currency ?? row.currency,
      refunded: refundedOf(sale, reading.remarks),
      plan_id: null,
      created_at: sale.charged_at ?? sale.invoiced_at ?? row.created_at,
    };
  }
}

/** A sale is the charge less tax, and its refund is reduced in the same proportion. */
function refundedOf(sale: Sale, remarks: Remarks): number {
  const { charge_amount_cents: charged, sale_amount_cents: sold, refund_amount_cents: refunded } = sale;
  if (refunded === 0 || sold <= 0) return 0;
  if (charged === null || charged <= sold) return Math.min(refunded, sold);
  if (refunded < charged) {
    remarks.add(
      `sale:${sale.id}:refund`,
      `Sale ${sale.id}: ${refunded} of ${charged} were refunded, tax included. The refund's share of the sale is imported.`,
    );
  }
  return Math.min(share(refunded, sold, charged), sold);
}

const COMMISSION_STATES = {
  pending: "pending",
  due: "approved",
  paid: "approved",
  voided: "denied",
} as const;

export async function* commissions(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of commissionRows(reading)) {
    const promoterId = ownerOf(row);
    if (promoterId === null) {
      const shown = `${row.amount} (${row.currency ?? "?"}, ${row.state})`;
      reading.remarks.add(`commission:${row.id}`, `Commission ${row.id} of ${shown} names no affiliate.`);
      continue;
    }
    const saleId = row.sale && reading.sales.has(row.sale.id) ? row.sale.id : null;
    yield {
      kind: "commission",
      id: row.id,
      sale_id: saleId,
      customerId: saleId === null ? null : reference.parse(row.sale?.referral),
      promoter_id: promoterId,
      campaign_id: row.campaign,
      unit: "cash",
      amount: row.amount,
      currency: row.currency,
      status: COMMISSION_STATES[row.state],
      isPaid: row.state === "paid",
      payout_id: reading.payouts.get(row.id) ?? null,
      tier_level: 1,
      note: null,
      created_at: row.created_at,
      paid_at: row.paid_at,
    };
  }
}

function payoutRows(reading: Reading): AsyncGenerator<Payout> {
  return readRows(reading, { list: "payouts", shape: payoutShape, noun: "Payout" });
}

export async function notePayouts(reading: Reading): Promise<void> {
  for await (const row of payoutRows(reading)) {
    for (const commission of row.commissions ?? []) {
      const found = reference.parse(commission);
      if (found === null) continue;
      reading.payouts.set(found, row.id);
    }
  }
  for await (const { id, created_at: at } of commissionRows(reading)) {
    const payout = reading.payouts.get(id);
    if (payout !== undefined && at > (reading.latest.get(payout) ?? "")) reading.latest.set(payout, at);
  }
}

const PAYOUT_STATES = {
  pending: "pending",
  due: "pending",
  processing: "processing",
  paid: "completed",
} as const;

export async function* payouts(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of payoutRows(reading)) {
    // Some answers lack the date of the payout.
    const createdAt = row.created_at ?? row.paid_at ?? reading.latest.get(row.id) ?? null;
    if (row.affiliate === null || createdAt === null) {
      const shown = `${row.amount} (${row.currency ?? "?"}, ${row.state})`;
      reading.remarks.add(
        `payout:${row.id}`,
        `Payout ${row.id} of ${shown} lacks its affiliate or its date.`,
      );
      continue;
    }
    yield {
      kind: "payout",
      id: row.id,
      promoter_id: row.affiliate,
      campaign_id: null,
      unit: "cash",
      amount: row.amount,
      currency: row.currency,
      status: PAYOUT_STATES[row.state],
      method: null,
      error: null,
      period_start: null,
      period_end: null,
      created_at: createdAt,
      paid_at: row.paid_at,
    };
  }
}
