import { campaigns } from "../../domain/program/campaign/campaign.ts";
import { commissions } from "../../domain/ledger/commission/commission.ts";
import { leads } from "../../domain/people/lead/lead.ts";
import { payoutMethods } from "../../domain/ledger/payout-method/payout-method.ts";
import { payouts } from "../../domain/ledger/payout/payout.ts";
import { promoCodes } from "../../domain/people/promo-code/promo-code.ts";
import { promoterCampaigns, refLink } from "../../domain/people/promoter-campaign/promoter-campaign.ts";
import { promoters } from "../../domain/people/promoter/promoter.ts";
import { ownLinks } from "../../domain/people/referral-link.ts";
import { rewards } from "../../domain/program/reward/reward.ts";
import { refunds, sales } from "../../domain/ledger/sale/sale.ts";
import type { Table } from "../../storage/table.ts";
import type { Account } from "../../domain/program/account/account.ts";
import type { Decimal } from "../../csv.ts";
import { decimalOf, exponentOf, type Unit } from "../../domain/money.ts";
import type { View } from "../../storage/store.ts";

/** A kind of records in an open export. */
export interface OpenNoun {
  /** Names its files. */
  name: string;
  lines(opening: Opening): AsyncGenerator<OpenLine[]>;
}

/** The program first, then people, then money, so that a file only refers to records of earlier files. */
export const OPEN_NOUNS: OpenNoun[] = [
  noun("campaigns", campaigns, async (each) => ({
    id: each.id,
    name: each.name,
    landing_url: each.landing_url,
    is_private: each.is_private,
    cookie_days: each.visitor_cookie_days,
    hold_days: each.commission_hold_days,
    auto_approve_promoters: each.auto_approve_promoters,
    auto_approve_commissions: each.auto_approve_commissions,
    ref_parameters: each.ref_params,
    rewards_for_promoters: each.rewards_for_promoters.map(entryOf),
    rewards_for_referrals: each.rewards_for_referrals.map(entryOf),
    created_at: each.created_at,
  })),
  noun("rewards", rewards, async (each) => ({
    id: each.id,
    name: each.name,
    is_for_promoters: each.is_promoter_reward,
    type: each.promoter_reward_type,
    tier_level: each.tier_level,
    tier_mode: each.tier_reward_mode,
    duration: each.duration,
    duration_months: each.duration_months,
    coupon: each.coupon,
    provider_coupon_id: each.provider_coupon_id,
    max_redemptions: each.max_redemptions,
    new_customers_only: each.new_customers_only,
    is_hidden: each.is_hidden,
    amounts: each.schemas.map(({ unit, amount_ten_thousandths, is_flat, rules }) => ({
      unit,
      amount: tenThousandthsOf(amount_ten_thousandths).decimal,
      is_percentage: !is_flat,
      rules,
    })),
    created_at: each.created_at,
  })),
  noun("promoters", promoters, async ({ profile, ...each }, { people }) => ({
    id: each.id,
    email: each.email,
    first_name: profile.first_name,
    last_name: profile.last_name,
    cust_id: each.cust_id,
    company_name: profile.company_name,
    company_number: profile.company_number,
    vat_id: profile.vat_id,
    address: profile.address,
    country: profile.country,
    phone_number: profile.phone_number,
    website: profile.website,
    wallet_email: profile.wallet_email,
    parent_id: each.parent_promoter_id,
    parent_email:
      each.parent_promoter_id === null ? null : await people.promoterEmail(each.parent_promoter_id),
    note: each.note,
    custom_fields: each.custom_fields,
    tax_rate_percent: { decimal: String(each.tax_rate_hundredths / 100) },
    net_payout_days: each.net_payout_days,
    wants_no_emails: each.skip_email_notification,
    created_at: each.created_at,
    archived_at: each.archived_at,
  })),
  noun("promoter-campaigns", promoterCampaigns, async (each, { people, view }) => {
    const campaign = await view.get(campaigns, each.account_id, each.campaign_id);
    return {
      id: each.id,
      promoter_id: each.promoter_id,
      promoter_email: await people.promoterEmail(each.promoter_id),
      campaign_id: each.campaign_id,
      state: each.state,
      ref_id: each.ref_token,
      link: campaign && refLink(each, campaign),
      landing_url: each.landing_url,
      promo_code: each.coupon,
      shown_promo_code: each.display_coupon,
      own_rewards: each.rewards_for_promoters?.map(entryOf) ?? null,
      created_at: each.created_at,
    };
  }),
  noun("links", ownLinks, async (each, { people }) => ({
    id: each.id,
    promoter_campaign_id: each.promoter_campaign_id,
    promoter_id: each.promoter_id,
    promoter_email: await people.promoterEmail(each.promoter_id),
    name: each.name,
    url: each.url,
    sub_id: each.sub_id,
    created_at: each.created_at,
  })),
  noun("promo-codes", promoCodes, async (each) => ({
    id: each.id,
    code: each.code,
    promoter_campaign_id: each.promoter_campaign_id,
    reward_id: each.reward_id,
    ext_id: each.ext_id,
    description: each.description,
    created_at: each.created_at,
    archived_at: each.archived_at,
  })),
  noun("leads", leads, async (each, { people }) => ({
    id: each.id,
    email: each.email,
    uid: each.uid,
    username: each.username,
    first_name: each.first_name,
    last_name: each.last_name,
    state: each.state,
    suspicion: each.suspicion,
    promoter_id: each.promoter_id,
    promoter_email: await people.promoterEmail(each.promoter_id),
    promoter_campaign_id: each.promoter_campaign_id,
    campaign_id: each.campaign_id,
    entry_source: each.entry_source,
    plan_name: each.plan_name,
    subscription_id: each.subscription_id,
    sub_id: each.sub_id,
    splits: each.splits,
    custom_fields: each.custom_fields,
    sales_count: each.sales_count,
    customer_since: each.customer_since,
    cancelled_at: each.cancelled_at,
    created_at: each.created_at,
    archived_at: each.archived_at ?? null,
  })),
  noun("sales", sales, async (each, { account, people }) => {
    const { email, uid } = await people.lead(each.lead_id);
    const original = currencyOf(account, each.original_currency);
    return {
      id: each.id,
      event_id: each.event_id,
      lead_id: each.lead_id,
      email,
      uid,
      promoter_id: each.promoter_id,
      promoter_email: await people.promoterEmail(each.promoter_id),
      campaign_id: each.campaign_id,
      amount: amountOf(each.amount_cents, account.currency),
      currency: account.currency,
      refunded_amount: amountOf(each.refunded_cents, account.currency),
      original_amount: amountOf(each.original_amount, original),
      original_currency: original,
      quantity: each.quantity,
      plan_id: each.plan_id,
      billing_period: each.billing_period,
      is_duplicate: each.is_duplicate === true,
      created_at: each.created_at,
    };
  }),
  noun("refunds", refunds, async (each, { account }) => {
    const original = currencyOf(account, each.original_currency);
    return {
      id: each.id,
      event_id: each.event_id,
      sale_id: each.sale_id,
      lead_id: each.lead_id,
      promoter_id: each.promoter_id,
      campaign_id: each.campaign_id,
      amount: amountOf(each.amount_cents, account.currency),
      currency: account.currency,
      original_amount: amountOf(each.original_amount, original),
      original_currency: original,
      created_at: each.created_at,
    };
  }),
  noun("commissions", commissions, async (each, { account, people }) => {
    const { email, uid } = await people.lead(each.lead_id);
    return {
      id: each.id,
      promoter_id: each.promoter_id,
      promoter_email: await people.promoterEmail(each.promoter_id),
      promoter_campaign_id: each.promoter_campaign_id,
      campaign_id: each.campaign_id,
      lead_id: each.lead_id,
      email,
      uid,
      sale_id: each.sale_id,
      refund_id: each.refund_id,
      takes_back_id: each.takes_back_id,
      event_id: each.event_id,
      status: each.status,
      amount: amountOf(each.amount, account.currency, each.unit),
      unit: each.unit,
      currency: each.unit === "cash" ? account.currency : null,
      sale_amount: amountOf(each.sale_cents, account.currency),
      tier_level: each.tier_level,
      reward_id: each.reward_id,
      reward_name: each.reward_name,
      payout_id: each.payout_id,
      is_paid_elsewhere: each.is_paid_elsewhere,
      internal_note: each.internal_note,
      external_note: each.external_note,
      created_at: each.created_at,
    };
  }),
  noun("payouts", payouts, async (each, { account, people }) => ({
    id: each.id,
    promoter_id: each.promoter_id,
    promoter_email: await people.promoterEmail(each.promoter_id),
    promoter_campaign_id: each.promoter_campaign_id,
    campaign_id: each.campaign_id,
    status: each.status,
    amount: amountOf(each.amount, account.currency, each.unit),
    tax_rate_percent: { decimal: String(each.tax_rate_hundredths / 100) },
    total_incl_tax: amountOf(each.total_incl_tax, account.currency, each.unit),
    unit: each.unit,
    currency: each.unit === "cash" ? account.currency : null,
    payout_method_id: each.payout_method_id,
    period_start: each.period_start,
    period_end: each.period_end,
    due_date: each.due_date,
    error: each.error,
    paid_at: each.paid_at,
    created_at: each.created_at,
  })),
  noun("payout-methods", payoutMethods, async (each, { people, hasPayoutDetails }) => ({
    id: each.id,
    promoter_id: each.promoter_id,
    promoter_email: await people.promoterEmail(each.promoter_id),
    method: each.method,
    details: hasPayoutDetails ? each.details : null,
    is_selected: each.is_selected,
    is_disabled: each.is_disabled,
    replaced_by_id: each.replaced_by_id ?? null,
    created_at: each.created_at,
  })),
];

/** Yields the records of a table one by one, with only a chunk in memory. */
function noun<R>(
  name: string,
  from: Table<R>,
  lineOf: (record: R, opening: Opening) => Promise<OpenLine>,
): OpenNoun {
  return {
    name,
    async *lines(opening) {
      for await (const chunk of opening.view.scan(from, "id", opening.account.id, []))
        yield await Promise.all(chunk.map((record) => lineOf(record, opening)));
    },
  };
}

function entryOf({
  apply_on,
  product_ids,
  reward_id,
}: {
  apply_on: string;
  product_ids: number[];
  reward_id: number;
}) {
  return { reward_id, apply_on, product_ids };
}

/** A value of an open file. Objects are JSON in a CSV file. */
export type OpenValue = string | number | boolean | null | Decimal | object;

/** One record of an open file, by column. */
export type OpenLine = Record<string, OpenValue>;

/** The context of all columns. */
export interface Opening {
  view: View;
  account: Account;
  /** Whether details of payout methods are written, such as bank account numbers. */
  hasPayoutDetails: boolean;
  people: People;
}

/** Names of people by id. */
export interface People {
  promoterEmail(id: number): Promise<string | null>;
  lead(id: number | null): Promise<{ email: string | null; uid: string | null }>;
}

/** The size of the cache of names. Records of one promoter are often adjacent. */
const MOST_REMEMBERED = 10_000;
const NO_LEAD = { email: null, uid: null };

/** Finds the names of people, with a cache. */
export function newPeople(view: View, { id: accountId }: Account): People {
  const promoterOf = remembered(view, promoters, accountId);
  const leadOf = remembered(view, leads, accountId);
  return {
    promoterEmail: async (id) => (await promoterOf(id))?.email ?? null,
    lead: async (id) => (id === null ? NO_LEAD : ((await leadOf(id)) ?? NO_LEAD)),
  };
}

/** An amount as a decimal number: cash in this currency, other units as they are. */
function amountOf(amount: number, currency: string, unit: Unit = "cash"): Decimal {
  if (unit !== "cash") return { decimal: String(amount) };
  const size = decimalOf(Math.abs(amount), currency);
  return { decimal: amount < 0 ? `-${size}` : size };
}

/** A reward's amount, which is kept in ten-thousandths. */
function tenThousandthsOf(amount: number): Decimal {
  const whole = Math.trunc(amount / 10_000);
  const rest = String(amount % 10_000)
    .padStart(4, "0")
    .replace(/0+$/, "");
  return { decimal: rest === "" ? String(whole) : `${whole}.${rest}` };
}

/** A known currency, or the account's. */
function currencyOf({ currency }: Account, original: string | null): string {
  return original !== null && exponentOf(original) !== null ? original : currency;
}

function remembered<R>(view: View, from: Table<R>, accountId: number): (id: number) => Promise<R | null> {
  const known = new Map<number, Promise<R | null>>();
  return (id) => {
    if (known.size >= MOST_REMEMBERED) known.clear();
    const found = known.get(id) ?? Promise.resolve(view.get(from, accountId, id));
    known.set(id, found);
    return found;
  };
}
