import { Failure } from "../../../failure.ts";
import type { ArchivedRows, Source, SourceRecord, SourceReward } from "../model.ts";
import {
  flatTenThousandths,
  newRemarks,
  readRows,
  remarkClosed,
  tenThousandths,
  type Duration,
  type Remarks,
} from "../shapes.ts";
import {
  affiliateShape,
  askRewardful,
  campaignShape,
  couponShape,
  referralShape,
  commissionRows,
  commissions,
  notePayouts,
  ownerOf,
  payouts,
  sales,
  type Affiliate,
  type Campaign,
  type Referral,
  type Reading,
} from "./rewardful-answers.ts";

/** @see https://developers.rewardful.com/rest-api/ */
export const rewardful: Source = {
  name: "rewardful",
  title: "Rewardful",
  baseUrl: "https://api.getrewardful.com/v1",
  keyHint: "the API secret of the company's settings",
  // 45 per 30 seconds are allowed.
  limit: { requests: 40, withinMs: 30_000 },
  headers: (key) => {
    if (!/^\S+$/.test(key)) throw new Failure("invalid", "The key must be only the API secret");
    return { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` };
  },
  linkParams: ["via"],
  fetch: askRewardful,
  records: rewardfulRecords,
};

async function* rewardfulRecords(archive: ArchivedRows): AsyncGenerator<SourceRecord> {
  const reading: Reading = {
    archive,
    remarks: newRemarks(),
    affiliates: new Map(),
    customers: new Set(),
    sales: new Set(),
    payouts: new Map(),
    latest: new Map(),
  };
  yield* campaigns(reading);
  yield* promoters(reading);
  yield* places(reading);
  yield* codes(reading);
  yield* customers(reading);
  await notePayouts(reading);
  yield* sales(reading);
  yield* commissions(reading);
  yield* payouts(reading);
  await remarkClosed(archive, reading.remarks);
  yield* reading.remarks.all();
}

async function* campaigns(reading: Reading): AsyncGenerator<SourceRecord> {
  const { remarks } = reading;
  for await (const row of readRows(reading, { list: "campaigns", shape: campaignShape, noun: "Campaign" })) {
    const name = row.name ?? `Campaign ${row.id}`;
    const { minimum_payout_cents: least, minimum_payout_currency: unit } = row;
    if (row.stripe_coupon_id !== null) {
      remarks.add(
        `campaign:${row.id}:coupon`,
        `Campaign "${name}": referred customers get the Stripe coupon ${row.stripe_coupon_id}. Make a reward for referrals of it.`,
      );
    }
    yield {
      kind: "campaign",
      id: row.id,
      name,
      landing_url: row.url,
      is_default: row.default,
      is_private: row.private,
      cookieDays: row.days_before_referrals_expire,
      holdDays: row.days_until_commissions_are_due,
      minPayment: least === null || unit === null ? null : { amount: least, currency: unit },
      rewards: rewardsOf(row, name, remarks),
    };
  }
}

function rewardsOf(row: Campaign, name: string, remarks: Remarks): SourceReward[] {
  const isFlat = row.reward_type === "amount";
  const cents = row.commission_amount_cents;
  const size = isFlat
    ? cents && flatTenThousandths(cents, row.commission_amount_currency)
    : tenThousandths(row.commission_percent);
  const duration = durationOf(row);
  if (size === null || duration === null || (!isFlat && row.reward_type !== "percent")) {
    const shown = isFlat
      ? `${cents ?? "?"} cents (${row.commission_amount_currency ?? "?"})`
      : `${String(row.commission_percent)} %`;
    const most =
      row.max_commissions === null ? "" : `, at most ${row.max_commissions} commissions a customer`;
    remarks.add(
      `campaign:${row.id}:reward`,
      `Campaign "${name}": a reward of ${shown}${most} can't be expressed by our rules. Make one by hand.`,
    );
    return [];
  }
  return [
    {
      id: row.id,
      name,
      unit: "cash",
      amount_ten_thousandths: size,
      is_flat: isFlat,
      currency: isFlat ? row.commission_amount_currency : null,
      ...duration,
      tier_level: 1,
    },
  ];
}

/** Null if our rules can't express it. */
function durationOf(row: Campaign): Duration | null {
  const { max_commissions: most, max_commission_period_months: months } = row;
  if (most === 1 || months === 0) return { duration: "once", duration_months: null };
  if (most !== null) return null;
  if (months === null) return { duration: "forever", duration_months: null };
  return { duration: "repeating", duration_months: months };
}

function affiliateRows(reading: Reading): AsyncGenerator<Affiliate> {
  return readRows(reading, { list: "affiliates", shape: affiliateShape, noun: "Affiliate" });
}

async function* promoters(reading: Reading): AsyncGenerator<SourceRecord> {
  for await (const row of affiliateRows(reading)) {
    const { paypal_email: paypal, wise_email: wise } = row;
    if (paypal !== null && wise !== null) {
      reading.remarks.add(
        `affiliate:${row.id}:wise`,
        `Affiliate ${row.email} has PayPal and Wise (${wise}). PayPal is imported.`,
      );
    }
    reading.affiliates.set(row.id, { campaign: row.campaign, created_at: row.created_at });
    yield {
      kind: "promoter",
      id: row.id,
      email: row.email,
      first_name: row.first_name,
      // Rewardful's placeholder
      last_name: row.last_name === "Unknown" ? null : row.last_name,
      company_name: null,
      country: null,
      cust_id: null,
      note: null,
      custom_fields: null,
      parentId: null,
      isArchived: false,
      payoutMethod: payoutMethodOf(row),
      // It is unknown whether its leads include those who became customers.
      counts: { clicks: row.visitors, leads: null, customers: row.conversions },
      created_at: row.created_at,
    };
  }
}

function payoutMethodOf({ paypal_email: paypal, wise_email: wise }: Affiliate) {
  if (paypal !== null) return { method: "paypal" as const, details: { wallet_email: paypal } };
  if (wise !== null) return { method: "wise" as const, details: { wise_email: wise } };
  return null;
}

const AFFILIATE_STATES = { active: "accepted", disabled: "blocked", suspicious: "pending" } as const;

/** Affiliates' current campaigns, and earlier ones in which they earned. */
async function* places(reading: Reading): AsyncGenerator<SourceRecord> {
  const { remarks } = reading;
  for await (const row of affiliateRows(reading)) {
    if (row.campaign === null) {
      remarks.add(`affiliate:${row.id}:campaign`, `Affiliate ${row.email} is in no campaign.`);
      continue;
    }
    if (row.state === "suspicious") {
      remarks.add(
        `affiliate:${row.id}:suspicious`,
        `Affiliate ${row.email} is suspicious for Rewardful, and waits for your decision here.`,
      );
    }
    yield {
      kind: "promoter_campaign",
      id: row.id,
      promoter_id: row.id,
      campaign_id: row.campaign,
      state: AFFILIATE_STATES[row.state],
      links: (row.links ?? []).map((link) => ({
        id: link.id,
        token: link.token,
        url: link.url,
        clicks: link.visitors,
      })),
      created_at: row.created_at,
    };
  }
  const former = new Set<string>();
  for await (const row of commissionRows(reading)) {
    const promoterId = ownerOf(row);
    if (promoterId === null || row.campaign === null) continue;
    const affiliate = reading.affiliates.get(promoterId);
    const place = `${promoterId}:${row.campaign}`;
    if (!affiliate || affiliate.campaign === row.campaign || former.has(place)) continue;
    former.add(place);
    remarks.add(
      `affiliate:${place}`,
      `Affiliate ${promoterId} earned in campaign ${row.campaign} before being moved, and is inactive there.`,
    );
    yield {
      kind: "promoter_campaign",
      id: place,
      promoter_id: promoterId,
      campaign_id: row.campaign,
      state: "inactive",
      links: [],
      created_at: row.created_at,
    };
  }
}

async function* codes(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "affiliate_coupons", shape: couponShape, noun: "Coupon" };
  for await (const row of readRows(reading, list)) {
    const affiliate = reading.affiliates.get(row.affiliate_id);
    yield {
      kind: "code",
      id: row.id,
      code: row.token,
      promoter_id: row.affiliate_id,
      campaign_id: affiliate?.campaign ?? null,
      ext_id: row.external_id,
      // An archived coupon without a date is dated like its affiliate, the earliest possible date.
      archived_at: row.archived ? (row.archived_at ?? affiliate?.created_at ?? null) : null,
    };
  }
}

/** The referrals of the list, and those that are only in sales. */
async function* customers(reading: Reading): AsyncGenerator<SourceRecord> {
  const list = { list: "referrals", shape: referralShape, noun: "Referral" };
  for await (const row of readRows(reading, list)) {
    if (row.conversion_state !== "visitor") yield* customer(reading, row);
  }
  for await (const { sale } of commissionRows(reading)) {
    const referral = referralShape.safeParse(sale?.referral);
    if (referral.success) yield* customer(reading, referral.data);
  }
}

function* customer(reading: Reading, row: Referral): Generator<SourceRecord> {
  const { customers, affiliates, remarks } = reading;
  const promoterId = row.affiliate ?? row.affiliate_id;
  if (customers.has(row.id)) return;
  const email = row.customer?.email ?? null;
  const shown = email ?? row.stripe_customer_id ?? row.id;
  if (promoterId === null) {
    remarks.add(`referral:${row.id}`, `Customer ${shown} belongs to no affiliate.`);
    return;
  }
  if (row.deactivated_at !== null) {
    remarks.add(
      `referral:${row.id}:deactivated`,
      `Customer ${shown} was deactivated in Rewardful on ${row.deactivated_at.slice(0, 10)}, but earns commissions here.`,
    );
  }
  customers.add(row.id);
  const name = row.customer?.name ?? null;
  const isStripe = row.stripe_customer_id?.startsWith("cus_") ?? false;
  yield {
    kind: "customer",
    id: row.id,
    email,
    uid: isStripe ? null : row.stripe_customer_id,
    billingId: isStripe ? row.stripe_customer_id : null,
    subscription_id: null,
    name: name?.startsWith("cus_") ? null : name,
    promoter_id: promoterId,
    campaign_id: affiliates.get(promoterId)?.campaign ?? null,
    state: row.conversion_state === "conversion" ? "active" : "signup",
    entry_source: row.link === null && row.coupon !== null ? "coupon" : "cookie",
    plan_id: null,
    custom_fields: null,
    created_at: row.became_lead_at ?? row.became_conversion_at ?? row.created_at,
    customer_since: row.conversion_state === "conversion" ? row.became_conversion_at : null,
    cancelled_at: null,
  };
}
