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
    landing_url: each.landingUrl,
    is_private: each.isPrivate,
    cookie_days: each.visitorCookieDays,
    hold_days: each.commissionHoldDays,
    auto_approve_promoters: each.autoApprovePromoters,
    auto_approve_commissions: each.autoApproveCommissions,
    ref_parameters: each.refParams,
    rewards_for_promoters: each.rewardsForPromoters.map(entryOf),
    rewards_for_referrals: each.rewardsForReferrals.map(entryOf),
    created_at: each.createdAt,
  })),
  noun("rewards", rewards, async (each) => ({
    id: each.id,
    name: each.name,
    is_for_promoters: each.isPromoterReward,
    type: each.promoterRewardType,
    tier_level: each.tierLevel,
    tier_mode: each.tierRewardMode,
    duration: each.duration,
    duration_months: each.durationMonths,
    coupon: each.coupon,
    provider_coupon_id: each.providerCouponId,
    max_redemptions: each.maxRedemptions,
    new_customers_only: each.newCustomersOnly,
    is_hidden: each.isHidden,
    amounts: each.schemas.map(({ unit, amountTenThousandths, isFlat, rules }) => ({
      unit,
      amount: tenThousandthsOf(amountTenThousandths).decimal,
      is_percentage: !isFlat,
      rules,
    })),
    created_at: each.createdAt,
  })),
  noun("promoters", promoters, async ({ profile, ...each }, { people }) => ({
    id: each.id,
    email: each.email,
    first_name: profile.firstName,
    last_name: profile.lastName,
    cust_id: each.custId,
    company_name: profile.companyName,
    company_number: profile.companyNumber,
    vat_id: profile.vatId,
    address: profile.address,
    country: profile.country,
    phone_number: profile.phoneNumber,
    website: profile.website,
    wallet_email: profile.walletEmail,
    parent_id: each.parentPromoterId,
    parent_email: each.parentPromoterId === null ? null : await people.promoterEmail(each.parentPromoterId),
    note: each.note,
    custom_fields: each.customFields,
    tax_rate_percent: { decimal: String(each.taxRateHundredths / 100) },
    net_payout_days: each.netPayoutDays,
    wants_no_emails: each.skipEmailNotification,
    created_at: each.createdAt,
    archived_at: each.archivedAt,
  })),
  noun("promoter-campaigns", promoterCampaigns, async (each, { people, view }) => {
    const campaign = await view.get(campaigns, each.accountId, each.campaignId);
    return {
      id: each.id,
      promoter_id: each.promoterId,
      promoter_email: await people.promoterEmail(each.promoterId),
      campaign_id: each.campaignId,
      state: each.state,
      ref_id: each.refToken,
      link: campaign && refLink(each, campaign),
      landing_url: each.landingUrl,
      promo_code: each.coupon,
      shown_promo_code: each.displayCoupon,
      own_rewards: each.rewardsForPromoters?.map(entryOf) ?? null,
      created_at: each.createdAt,
    };
  }),
  noun("links", ownLinks, async (each, { people }) => ({
    id: each.id,
    promoter_campaign_id: each.promoterCampaignId,
    promoter_id: each.promoterId,
    promoter_email: await people.promoterEmail(each.promoterId),
    name: each.name,
    url: each.url,
    sub_id: each.subId,
    created_at: each.createdAt,
  })),
  noun("promo-codes", promoCodes, async (each) => ({
    id: each.id,
    code: each.code,
    promoter_campaign_id: each.promoterCampaignId,
    reward_id: each.rewardId,
    ext_id: each.extId,
    description: each.description,
    created_at: each.createdAt,
    archived_at: each.archivedAt,
  })),
  noun("leads", leads, async (each, { people }) => ({
    id: each.id,
    email: each.email,
    uid: each.uid,
    username: each.username,
    first_name: each.firstName,
    last_name: each.lastName,
    state: each.state,
    suspicion: each.suspicion,
    promoter_id: each.promoterId,
    promoter_email: await people.promoterEmail(each.promoterId),
    promoter_campaign_id: each.promoterCampaignId,
    campaign_id: each.campaignId,
    entry_source: each.entrySource,
    plan_name: each.planName,
    subscription_id: each.subscriptionId,
    sub_id: each.subId,
    splits: each.splits,
    custom_fields: each.customFields,
    sales_count: each.salesCount,
    customer_since: each.customerSince,
    cancelled_at: each.cancelledAt,
    created_at: each.createdAt,
    archived_at: each.archivedAt ?? null,
  })),
  noun("sales", sales, async (each, { account, people }) => {
    const { email, uid } = await people.lead(each.leadId);
    const original = currencyOf(account, each.originalCurrency);
    return {
      id: each.id,
      event_id: each.eventId,
      lead_id: each.leadId,
      email,
      uid,
      promoter_id: each.promoterId,
      promoter_email: await people.promoterEmail(each.promoterId),
      campaign_id: each.campaignId,
      amount: amountOf(each.amountCents, account.currency),
      currency: account.currency,
      refunded_amount: amountOf(each.refundedCents, account.currency),
      original_amount: amountOf(each.originalAmount, original),
      original_currency: original,
      quantity: each.quantity,
      plan_id: each.planId,
      billing_period: each.billingPeriod,
      is_duplicate: each.isDuplicate === true,
      created_at: each.createdAt,
    };
  }),
  noun("refunds", refunds, async (each, { account }) => {
    const original = currencyOf(account, each.originalCurrency);
    return {
      id: each.id,
      event_id: each.eventId,
      sale_id: each.saleId,
      lead_id: each.leadId,
      promoter_id: each.promoterId,
      campaign_id: each.campaignId,
      amount: amountOf(each.amountCents, account.currency),
      currency: account.currency,
      original_amount: amountOf(each.originalAmount, original),
      original_currency: original,
      created_at: each.createdAt,
    };
  }),
  noun("commissions", commissions, async (each, { account, people }) => {
    const { email, uid } = await people.lead(each.leadId);
    return {
      id: each.id,
      promoter_id: each.promoterId,
      promoter_email: await people.promoterEmail(each.promoterId),
      promoter_campaign_id: each.promoterCampaignId,
      campaign_id: each.campaignId,
      lead_id: each.leadId,
      email,
      uid,
      sale_id: each.saleId,
      refund_id: each.refundId,
      takes_back_id: each.takesBackId,
      event_id: each.eventId,
      status: each.status,
      amount: amountOf(each.amount, account.currency, each.unit),
      unit: each.unit,
      currency: each.unit === "cash" ? account.currency : null,
      sale_amount: amountOf(each.saleCents, account.currency),
      tier_level: each.tierLevel,
      reward_id: each.rewardId,
      reward_name: each.rewardName,
      payout_id: each.payoutId,
      is_paid_elsewhere: each.isPaidElsewhere,
      internal_note: each.internalNote,
      external_note: each.externalNote,
      created_at: each.createdAt,
    };
  }),
  noun("payouts", payouts, async (each, { account, people }) => ({
    id: each.id,
    promoter_id: each.promoterId,
    promoter_email: await people.promoterEmail(each.promoterId),
    promoter_campaign_id: each.promoterCampaignId,
    campaign_id: each.campaignId,
    status: each.status,
    amount: amountOf(each.amount, account.currency, each.unit),
    tax_rate_percent: { decimal: String(each.taxRateHundredths / 100) },
    total_incl_tax: amountOf(each.totalInclTax, account.currency, each.unit),
    unit: each.unit,
    currency: each.unit === "cash" ? account.currency : null,
    payout_method_id: each.payoutMethodId,
    period_start: each.periodStart,
    period_end: each.periodEnd,
    due_date: each.dueDate,
    error: each.error,
    paid_at: each.paidAt,
    created_at: each.createdAt,
  })),
  noun("payout-methods", payoutMethods, async (each, { people, hasPayoutDetails }) => ({
    id: each.id,
    promoter_id: each.promoterId,
    promoter_email: await people.promoterEmail(each.promoterId),
    method: each.method,
    details: hasPayoutDetails ? each.details : null,
    is_selected: each.isSelected,
    is_disabled: each.isDisabled,
    replaced_by_id: each.replacedById ?? null,
    created_at: each.createdAt,
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
  applyOn,
  productIds,
  rewardId,
}: {
  applyOn: string;
  productIds: number[];
  rewardId: number;
}) {
  return { reward_id: rewardId, apply_on: applyOn, product_ids: productIds };
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
