import { z } from "zod";
import { UNITS } from "../../../domain/money.ts";
import type { SourceApi, SourceQuery } from "../model.ts";
import { idsOf, readForEach, readIfAny, readNeeded, readNumberedPages } from "../paging.ts";
import {
  amount,
  amountOrNull,
  count,
  countOrNull,
  country,
  currency,
  fields,
  flag,
  id,
  instant,
  meaning,
  readAnswer,
  reference,
  someInstant,
  tenThousandths,
  text,
} from "../shapes.ts";

const MOST_ROWS = 100;

/** Fetches everything that FirstPromoter offers. */
export async function askFirstPromoter(api: SourceApi): Promise<void> {
  await readList(api, "campaigns", { path: "/campaigns" });
  await readList(api, "rewards-promoters", { path: "/rewards", query: { scope: "promoters" } });
  await readList(api, "rewards-referrals", { path: "/rewards", query: { scope: "referrals" } });
  const byJoining = { "sorting[joined_at]": "asc" };
  await readList(api, "promoters", { path: "/promoters", query: byJoining });
  const archived = { ...byJoining, "filters[archived]": "true" };
  await readList(api, "promoters-archived", { path: "/promoters", query: archived });
  await readList(api, "promoter_campaigns", { path: "/promoter_campaigns" });
  await readList(api, "referrals", { path: "/referrals" });
  await readList(api, "commissions", { path: "/commissions", query: { "sorting[created_at]": "asc" } });
  await readList(api, "payouts", { path: "/payouts" });
  for (const list of ["promoters", "promoters-archived"]) {
    await readNeeded(api, `${list}-parents`, () =>
      readForEach(api, `${list}-parents`, {
        parents: idsOf(api.kept, list),
        ask: (promoter) => parentOf(api, promoter),
      }),
    );
    await readIfAny(api, `${list}-payout-methods`, () =>
      readForEach(api, `${list}-payout-methods`, {
        parents: idsOf(api.kept, list),
        ask: (promoter) =>
          allRows(api, { path: "/payout_methods", query: { "filters[promoter_id]": promoter } }),
      }),
    );
  }
  await readIfAny(api, "referral-links", () =>
    readForEach(api, "referral-links", {
      parents: idsOf(api.kept, "promoter_campaigns"),
      ask: (id) => allRows(api, { path: `/promoter_campaigns/${encodeURIComponent(id)}/referral_links` }),
    }),
  );
  await readIfAny(api, "promo_codes", () =>
    readForEach(api, "promo_codes", {
      parents: idsOf(api.kept, "promoter_campaigns"),
      ask: (id) => allRows(api, { path: "/promo_codes", query: { promoter_campaign_id: id } }),
    }),
  );
  await readNeeded(api, "payout-commissions", () =>
    readForEach(api, "payout-commissions", {
      parents: idsOf(api.kept, "payouts"),
      ask: (payout) => allRows(api, { path: "/commissions", query: { "filters[payout_id]": payout } }),
    }),
  );
}

interface Place {
  path: string;
  query?: SourceQuery;
}

/** Some lists are bare arrays, some are in `data`. */
const rowsShape = z
  .union([z.array(z.unknown()), z.looseObject({ data: z.array(z.unknown()) })])
  .transform((answer) => (Array.isArray(answer) ? answer : answer.data));

async function pageOf(api: SourceApi, { path, query }: Place, page: number, size: number) {
  const answer = await api.get(path, { ...query, page, per_page: size });
  return readAnswer(rowsShape, answer, path);
}

function readList(api: SourceApi, list: string, place: Place): Promise<void> {
  return readNeeded(api, list, () =>
    readNumberedPages(api, list, {
      most: MOST_ROWS,
      ask: async (page, size) => ({ rows: await pageOf(api, place, page, size) }),
    }),
  );
}

async function allRows(api: SourceApi, place: Place): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const rows = await pageOf(api, place, page, MOST_ROWS);
    all.push(...rows);
    if (rows.length < MOST_ROWS) return all;
  }
}

/** What a row of a promoter's or a promoter campaign's list says about them. */
export const promoterIn = (row: Record<string, unknown>) => [row["promoter_id"], row["promoter"]];
export const placeIn = (row: Record<string, unknown>) => [
  row["promoter_campaign_id"],
  row["promoter_campaign"],
];

const withParent = z.looseObject({ parent_promoter: z.unknown().optional() });

/** The promoter with their parent, or no row without a parent. */
async function parentOf(api: SourceApi, promoter: string): Promise<unknown[]> {
  const path = `/promoters/${encodeURIComponent(promoter)}`;
  const answer = await api.get(path, { include_parent_promoter: "true" });
  return readAnswer(withParent, answer, path).parent_promoter ? [answer] : [];
}

/** A promoter and a campaign that are embedded in a record. */
const place = z
  .object({ promoter: reference, campaign: reference, promoter_id: text, campaign_id: text })
  .nullish()
  .transform((given) => ({
    promoter_id: given?.promoter ?? given?.promoter_id ?? null,
    campaign_id: given?.campaign ?? given?.campaign_id ?? null,
  }));

const entries = z
  .array(z.looseObject({ apply_on: text, product_ids: z.array(z.unknown()).nullish(), reward_id: text }))
  .nullish();

export const campaignShape = z.object({
  id,
  name: text,
  landing_url: text,
  visitor_cookie_life: amountOrNull,
  ref_token_param: text,
  is_private: flag,
  is_default: flag,
  rewards_for_promoters: entries,
  rewards_for_referrals: entries,
});
export type Campaign = z.output<typeof campaignShape>;

export const unit = z.enum(UNITS);

export const rewardShape = z.object({
  id,
  name: text,
  promoter_reward_type: text,
  duration: text,
  duration_in_months: amountOrNull,
  tier_level: amountOrNull,
  tier_reward_mode: text,
  schemas: z
    .array(
      z.object({
        unit,
        amount: z.unknown().optional(),
        flat_amount: flag,
        rules: z.array(z.unknown()).nullish(),
      }),
    )
    .nullish(),
});
export type Reward = z.output<typeof rewardShape>;

const STATES = {
  pending: "pending",
  accepted: "accepted",
  rejected: "rejected",
  blocked: "blocked",
  inactive: "inactive",
  not_set: "pending",
} as const;

export const promoterShape = z.object({
  id,
  email: z.string(),
  name: text,
  cust_id: text,
  note: text,
  stats: z.object({ clicks_count: countOrNull }).nullish().catch(null),
  profile: z
    .object({
      first_name: text,
      last_name: text,
      company_name: text,
      company_number: text,
      vat_id: text,
      address: text,
      phone_number: text,
      website: text,
      country,
    })
    .nullish()
    .catch(null),
  joined_at: instant,
  created_at: instant,
  archived_at: instant,
  custom_fields: fields,
  promoter_campaigns: z
    .array(
      z.object({
        id,
        campaign_id: id,
        state: meaning(STATES),
        coupon: text,
        ref_token: text,
        ref_link: text,
      }),
    )
    .nullish(),
});
export type Promoter = z.output<typeof promoterShape>;

export const promoterCampaignShape = z.object({
  id,
  stats: z.object({ clicks_count: count }).nullish().catch(null),
  display_coupon: text,
  rewards_for_promoters: entries,
  promo_codes: z.array(z.unknown()).nullish().catch(null),
});

/** A code of a promoter campaign: a record, or its bare text. */
export const codeShape = z.union([
  z.object({ id, code: z.string().min(1), ext_id: text, archived_at: instant }),
  z
    .string()
    .min(1)
    .transform((code) => ({ id: null, code, ext_id: null, archived_at: null })),
]);
export const listedCodeShape = z.object({
  of: id,
  id,
  code: z.string().min(1),
  ext_id: text,
  archived_at: instant,
});

/** A link beside the usual one. It may have another ref token. */
export const referralLinkShape = z.object({ of: id, id, url: z.url() });

export const methodShape = z.object({
  of: id,
  method: z.enum(["paypal", "bank", "wise", "crypto", "custom", "dots"]),
  is_selected: flag,
  is_disabled: flag,
  details: fields,
});

export const parentShape = z.object({ of: id, parent_promoter: reference });

export const referralShape = z.object({
  id,
  email: text,
  uid: text,
  state: z.enum(["subscribed", "signup", "active", "cancelled", "refunded", "denied", "pending", "moved"]),
  entry_source: z.enum(["api", "coupon", "cookie", "manual_admin", "manual_affiliate"]).catch("api"),
  created_at: someInstant,
  customer_since: instant,
  cancelled_at: instant,
  promoter_campaign: place,
  username: text,
  first_name: text,
  last_name: text,
  split_details: z.array(z.unknown()).nullish().catch(null),
  metadata: fields,
});
/** Another promoter's part of a referral's commissions. */
export const splitShape = z.object({
  promoter_campaign_id: id,
  percentage: z.unknown().transform(tenThousandths).pipe(z.int().positive()),
});
export type Referral = z.output<typeof referralShape>;

export const commissionShape = z.object({
  id,
  status: z.enum(["pending", "approved", "denied"]),
  sale_amount: amountOrNull,
  original_sale_amount: amountOrNull,
  original_sale_currency: currency,
  event_id: text,
  plan_id: text,
  tier: amountOrNull,
  unit,
  amount,
  is_paid: flag,
  created_at: someInstant,
  promoter_campaign: place,
  referral: reference,
});
export type Commission = z.output<typeof commissionShape>;

/** A commission that was answered for a payout. */
export const payoutCommissionShape = z.object({ of: id, id });

/** It is undocumented whether its amount is in cents. */
export const payoutShape = z.object({
  id,
  status: z.enum(["pending", "processing", "completed", "failed", "cancelled"]),
  amount: z.coerce.number(),
  unit,
  period_start: instant,
  period_end: instant,
  created_at: instant,
  paid_at: instant,
  error: text,
  payout_method: z.unknown().optional(),
  promoter: reference,
  campaign: reference,
});
export type Payout = z.output<typeof payoutShape>;
